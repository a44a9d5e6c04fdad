// Large multiverses in headless Chromium without a GPU: prints figures, and fails beyond the bounds of the issue.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { longest, pan, watchTasks } from "./bench";
import { borges, launch, open, ready, ROOT, Server } from "./support";

const NODES = 100_000;
let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), "borges-bench-"));

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a stored session of 100,000 nodes", async () => {
  // Every reading of a thermometer is forked into all of its values, 25 times one after another: a bush.
  const program = join(ROOT, "examples/temperature-monitor/temperature-monitor.wasm");
  const file = join(folder, "bush.borges");
  // The second of the commands to go on ends where the new branch has no more recorded.
  const fork = ["continue", "branches 0..4095", "continue"];
  const script = ["break call chip_analog_read", ...Array<string[]>(25).fill(fork).flat()].flatMap((line) => ["-x", line]);
  const made = spawnSync(borges(), ["repl", program, "--session", file, ...script], { encoding: "utf8", timeout: 80_000 });
  if (made.status !== 0) {
    throw new Error(made.stdout + made.stderr);
  }
  const server = await Server.start([file]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const begun = Date.now();
  const page = await open(context, server.url, watchTasks);
  await page.waitForFunction((nodes) => (window.borgesTree?.drawn() ?? 0) >= nodes, NODES);
  await page.evaluate(() => new Promise(requestAnimationFrame));
  const first = Date.now() - begun;
  const close = await pan(page, "borgesTree");
  await page.evaluate(() => window.borgesTree?.fit());
  const far = await pan(page, "borgesTree");
  console.log(
    `${NODES} nodes: first picture ${first} ms; panning close median ${close.median.toFixed(1)} ms, worst ${close.worst.toFixed(1)} ms; ` +
      `far median ${far.median.toFixed(1)} ms, worst ${far.worst.toFixed(1)} ms; longest task ${(await longest(page)).toFixed(0)} ms`,
  );
  await context.close();
  await server.stop();
  expect(first).toBeLessThan(2000);
  expect(close.median).toBeLessThanOrEqual(34);
  expect(far.median).toBeLessThanOrEqual(34);
});

test("a path of a million instructions", async () => {
  const program = join(folder, "loop.wasm");
  // (module (func (export "main") (local i32) (loop (br_if 0 (i32.lt_s (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 150000))))))
  const wasm = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 109, 97, 105, 110, 0, 0, 10, 25, 1, 23, 1, 1, 127,
    3, 64, 32, 0, 65, 1, 106, 34, 0, 65, 240, 147, 9, 72, 13, 0, 11, 11,
  ];
  wasm[29] = wasm.length - 30;
  wasm[31] = wasm.length - 32;
  writeFileSync(program, Uint8Array.from(wasm));
  const server = await Server.start([program]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, server.url, watchTasks);
  await ready(page);
  await page.keyboard.press("c");
  await page.getByText("finished", { exact: true }).waitFor();
  const steps = await page.evaluate(() => Number(document.querySelector(".where .step")?.textContent?.replace(/\D/g, "")));
  await page.evaluate((count) => window.borgesTree?.open(0, 0, count), steps);
  const panned = await pan(page, "borgesTree");
  const task = await longest(page);
  console.log(`${steps} instructions unfolded: panning median ${panned.median.toFixed(1)} ms, longest task ${task.toFixed(0)} ms`);
  await context.close();
  await server.stop();
  expect(steps).toBeGreaterThanOrEqual(1_000_000);
  expect(task).toBeLessThanOrEqual(200);
});
