// A million states in headless Chromium without a GPU: explored, asked, shown. Prints figures, and fails beyond bounds.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longest, pan, watchTasks } from "./bench";
import { launch, open, Server } from "./support";

const STATES = 1_000_000;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "borges-bench-"));

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A coordinator asks everyone to prepare; a cancellation races with its question to the first. */
function twoPhaseCommit(participants: number): string {
  const names = Array.from({ length: participants }, (_, n) => `p${n}`);
  const send = (message: string): string => names.map((name) => `${name}<-${message}`).join("; ");
  return `def makeParticipant() { actor: {
      def state := 0; def willing := true;
      def cancel() { willing := false };
      def prepare(coordinator) { state := 1; coordinator<-vote(willing) };
      def decide(commit) { if: commit then: { state := 2 } else: { state := 3 } } } };
    ${names.map((name) => `def ${name} := makeParticipant();`).join("\n")}
    def coordinator := actor: { |${names.join(", ")}|
      def open := ${participants}; def all := true;
      def begin() { ${send("prepare(self)")} };
      def vote(yes) {
        open := open - 1;
        if: yes then: { } else: { all := false };
        if: open == 0 then: { ${send("decide(all)")} } } };
    def client := actor: { |p0| def start() { p0<-cancel() } };
    coordinator<-begin(); client<-start();`;
}

test("a million states", { timeout: 600_000 }, async () => {
  const program = join(folder, "commit.at");
  writeFileSync(program, twoPhaseCommit(8));
  const server = await Server.start([program, "--grain", "visible", "--states", "2000000"]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, server.url, watchTasks);
  page.setDefaultTimeout(400_000);
  await page.getByText("1 universe, 0 edges").waitFor();
  const begun = Date.now();
  await page.getByRole("tab", { name: "States" }).click();
  await page.waitForFunction((states) => (window.borgesStates?.count() ?? 0) >= states, STATES);
  const explored = Date.now() - begun;
  const far = await pan(page, "borgesStates");
  await page.evaluate(() => window.borgesStates?.fit());
  await page.evaluate(() => window.borgesStates?.zoom(30));
  const middle = await pan(page, "borgesStates");
  await page.evaluate(() => window.borgesStates?.zoom(1e6));
  const near = await pan(page, "borgesStates");
  const asked = Date.now();
  await page.getByRole("tab", { name: "Ask" }).click();
  await page.getByLabel("Kind of question").selectOption("shortest_to_ends");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText(/ steps to state \d+, outcome 0$/).waitFor();
  const answered = Date.now() - asked;
  await page.getByRole("button", { name: /^State / }).first().click();
  await page.getByRole("tab", { name: "State", exact: true }).click();
  await page.getByText(/^Nothing follows: outcome/).waitFor();
  const shown = (name: string, frames: { median: number; worst: number }): string =>
    `${name} median ${frames.median.toFixed(1)} ms, worst ${frames.worst.toFixed(1)} ms`;
  const task = await longest(page);
  console.log(
    `${await page.evaluate(() => window.borgesStates?.count())} states explored, sent and drawn in ${(explored / 1000).toFixed(1)} s; ` +
      `panning: ${[shown("all", far), shown("nearer", middle), shown("single states", near)].join("; ")}; ` +
      `shortest paths to all ends ${answered} ms; longest task ${task.toFixed(0)} ms`,
  );
  await context.close();
  await server.stop();
  expect(answered).toBeLessThan(2000);
  for (const frames of [far, middle, near]) {
    expect(frames.median).toBeLessThanOrEqual(34);
  }
});
