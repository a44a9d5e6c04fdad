// A run is alive, Pause is always heard, and what was played out has pictures, values and a verdict.
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { DIAL, launch, move, open, ready, ROOT, Server, universe } from "./support";

let browser: Browser;
let server: Server;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});
afterEach(async () => {
  await context.close();
  await server.stop();
});

async function show(
  program: string,
  reducedMotion: "reduce" | "no-preference" = "reduce",
  args: string[] = [],
  prepare?: (page: Page) => Promise<void>,
): Promise<Page> {
  server = await Server.start([program, ...args]);
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion });
  const page = await open(context, server.url, prepare);
  await ready(page);
  return page;
}

async function pace(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /^Pace of a run/ }).click();
  await page.getByRole("menuitemcheckbox", { name }).click();
}

test("while it runs, board, place and lanes move; Pause is heard each time", async () => {
  const page = await show(join(ROOT, "examples/temperature-monitor/temperature-monitor.wasm"));
  await pace(page, "10×");
  for (let n = 0; n < 4; n++) {
    await page.keyboard.press("c");
    await page.getByRole("button", { name: /^Pause/ }).waitFor();
    const places = new Set<string>();
    // Ten or twenty are told in a second, on a machine that has the time.
    for (let look = 0; look < 60 && places.size < 4; look++) {
      places.add(await universe(page));
      await page.waitForTimeout(60);
    }
    expect(places.size, "places seen while it runs").toBeGreaterThan(2);
    await page.keyboard.press("p");
    await page.getByText("paused", { exact: true }).waitFor();
    await page.getByText("live", { exact: true }).waitFor({ state: "detached" });
    const stands = await universe(page);
    await page.waitForTimeout(150);
    expect(await universe(page), "it stands").toBe(stands);
  }
  // As fast as the machine can: heard all the same.
  await pace(page, "max");
  await page.keyboard.press("c");
  await page.getByRole("button", { name: /^Pause/ }).click();
  await page.getByText("paused", { exact: true }).waitFor();
});

test("all readings played out: from opening to the fault in three clicks", async () => {
  const page = await show(DIAL);
  await page.getByRole("button", { name: "Close the tour" }).click();
  await page.getByRole("button", { name: "Play all 8 readings out" }).click();
  await page.getByText("8 branches").waitFor();
  // A picture and values beside each leaf; the same as a table, sorted by the motor.
  await page.getByLabel("View", { exact: true }).getByRole("tab", { name: "Table" }).click();
  const rows = page.getByRole("table", { name: "Universes" }).getByRole("row");
  await rows.nth(8).waitFor();
  await rows.nth(1).getByText("315").waitFor();
  expect(await rows.nth(1).textContent()).toMatch(/^7\./);
  await page.getByRole("textbox", { name: "An expression over all universes" }).fill("motor 0 > 300");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "1 wrong" }).click();
  await page.getByLabel("Motor 0: 315 degrees").waitFor();
});

test("a log point is evaluated over the whole recorded path, and a click goes to a hit", async () => {
  const page = await show(DIAL);
  for (let n = 0; n < 12; n++) {
    await page.keyboard.press("e");
  }
  await page.keyboard.press("Control+k");
  await page.keyboard.type("break 19");
  await page.keyboard.press("Enter");
  const row = page.getByRole("list", { name: /^Rows/ }).getByRole("listitem").filter({ hasText: "line 19" });
  await row.waitFor();
  await page.waitForFunction(() => Number([...document.querySelectorAll(".rows li")].find((li) => li.textContent?.includes("line 19"))?.querySelector(".value")?.textContent) > 0);
});

test("what is typed into the serial line is what the program reads next", async () => {
  const page = await show(join(ROOT, "examples/uart-parser/uart-parser.wasm"));
  await page.getByRole("tab", { name: /^Serial/ }).click();
  const form = page.getByRole("form", { name: "Into the program" });
  await form.getByRole("textbox").fill("\\x02R1");
  await form.getByRole("combobox").selectOption({ label: "newline" });
  await form.getByRole("button", { name: "Send" }).click();
  await page.getByText("= 2, 82, 49, 10, then live", { exact: true }).waitFor();
  for (let n = 0; n < 7; n++) {
    await move(page, "e");
  }
  await page.getByRole("tab", { name: "Read and done" }).click();
  const read = page.locator("#log-body li:not(.later)").filter({ hasText: "uart_read_byte" }).locator("b");
  expect((await read.allTextContents()).slice(0, 3)).toEqual(["2", "82", "49"]);
});

test("futures have pictures of the board, each at its own end, and are asked for once", async () => {
  // Heard from the first page on: what one page has asked, the server tells the next, which then does not ask.
  const sent: string[] = [];
  const page = await show(DIAL, "reduce", [], async (page) => {
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
  });
  await page.waitForFunction(() => (window.borgesTree?.suggested().length ?? 0) === 2);
  const pictures = await page.evaluate(() => window.borgesTree?.suggested().map(({ degrees }) => degrees));
  expect(pictures).toEqual([0, 45]);
  await page.waitForTimeout(1500);
  expect(sent.filter((text) => text.includes('"quiet":true')).length).toBe(1);
});

test("the board's limits stand at their rows", async () => {
  const page = await show(DIAL, "reduce", ["--board", join(ROOT, "examples/color-dial/peg.toml")]);
  for (let n = 0; n < 5; n++) {
    await move(page, "e");
  }
  await page.getByRole("list", { name: /^Rows/ }).getByText("angle, 0..300").waitFor();
});
