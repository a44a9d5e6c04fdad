// The page at every size: nothing is cut off, panels are all to be had, borders move and remember, the palette does things.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { overlaps, unreachable } from "./reach";
import { DIAL, launch, move, open, panel, ready, ROOT, Server, universe } from "./support";

const SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const;
let browser: Browser;
let server: Server;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});
beforeEach(async () => {
  server = await Server.start([DIAL]);
});
afterEach(async () => {
  await context.close();
  await server.stop();
});

async function show(width: number, height: number): Promise<Page> {
  context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
  const page = await open(context, server.url);
  await ready(page);
  return page;
}

for (const [width, height] of SIZES) {
  test(`each control is in reach at ${width} pixels`, async () => {
    const page = await show(width, height);
    await page.getByRole("button", { name: "Close the tour" }).click();
    await move(page, "e");
    await move(page, "e");
    expect(await unreachable(page), "at first").toEqual([]);
    for (const name of ["States", "Futures", "Tree"]) {
      await page.getByLabel("View", { exact: true }).getByRole("tab", { name: new RegExp(`^${name}`) }).click();
      expect(await unreachable(page), name).toEqual([]);
    }
    if (width < 760) {
      for (const name of ["Source", "State", "Board"]) {
        await page.getByRole("tab", { name, exact: true }).click();
        expect(await unreachable(page), name).toEqual([]);
      }
      // Run is always under the thumb.
      await page.getByRole("button", { name: /^Run/ }).waitFor();
    } else {
      for (const name of ["Breakpoints", "Notes", "Memory", "Stack", "Variables", ...(width < 1200 ? ["Board", "Inputs"] : [])]) {
        await panel(page, name);
        expect(await unreachable(page), name).toEqual([]);
      }
    }
  });
}

test("no two labels of the tree fall on one another, however it is stretched", async () => {
  const page = await show(1440, 900);
  await page.keyboard.press("a");
  await page.locator(".amount").getByText("8 branches").waitFor();
  for (const key of ["e", "e", "E", "+", "+", "-", "-", "-", "-", "0"]) {
    await (key.toLowerCase() === "e" ? move(page, key) : (page.keyboard.press("t"), page.keyboard.press(key)));
    await page.waitForTimeout(60);
    expect(await overlaps(page), key).toEqual([]);
  }
});

test("borders move, and stay where they were put", async () => {
  const page = await show(1440, 900);
  const border = page.getByRole("separator", { name: "Width of the left flank" });
  const before = Number(await border.getAttribute("aria-valuenow"));
  await border.focus();
  await page.keyboard.press("ArrowRight");
  expect(Number(await border.getAttribute("aria-valuenow"))).toBe(before + 16);
  await page.reload();
  await ready(page);
  expect(Number(await border.getAttribute("aria-valuenow"))).toBe(before + 16);
  await border.dblclick({ position: { x: 6, y: 300 } });
  expect(Number(await border.getAttribute("aria-valuenow"))).toBe(before);
});

test("the palette jumps, and the way back is kept", async () => {
  const page = await show(1440, 900);
  await move(page, "e");
  await move(page, "e");
  const there = await universe(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("jump 0.1");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".universe")?.textContent === "0.1");
  await page.keyboard.press("Alt+ArrowLeft");
  await page.waitForFunction((place) => document.querySelector(".universe")?.textContent === place, there);
  await page.keyboard.press("Alt+ArrowRight");
  await page.waitForFunction(() => document.querySelector(".universe")?.textContent === "0.1");
});

test("a reading of the past is changed by keys alone", async () => {
  const page = await show(1440, 900);
  await move(page, "e");
  await move(page, "e");
  await page.keyboard.press("r");
  await page.getByRole("form", { name: "Change this reading" }).waitFor();
  await page.keyboard.type("3, 5..6");
  await page.getByRole("button", { name: "Play 3 values out" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".amount").getByText("4 branches").waitFor();
});

test("many leaves are a band, which unfolds", async () => {
  await server.stop();
  server = await Server.start([join(ROOT, "examples/temperature-monitor/temperature-monitor.wasm")]);
  const page = await show(1440, 900);
  await page.getByRole("textbox", { name: /a value, values in turn/ }).fill("0..299");
  await page.getByRole("button", { name: "Branch 300" }).click();
  await page.locator(".amount").getByText(/30[01] branches/).waitFor();
  await page.waitForFunction(() => window.borgesTree?.labels().some(({ text }) => / universes/.test(text)));
  const rows = await page.evaluate(() => window.borgesTree?.drawn());
  expect(rows).toBeGreaterThanOrEqual(300);
});

test("what is exported is what is drawn", async () => {
  const page = await show(1440, 900);
  await page.keyboard.press("a");
  await page.locator(".amount").getByText("8 branches").waitFor();
  await page.waitForFunction(() => window.borgesTree?.labels().some(({ text }) => text === "7 brown"));
  const drawn = (await page.evaluate(() => window.borgesTree?.labels().map(({ text }) => text))) ?? [];
  await page.getByRole("button", { name: "More of the multiverse" }).click();
  await page.getByRole("menuitem", { name: "Export as SVG, DOT or JSON" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG picture" }).click()]);
  const text = readFileSync(await file.path(), "utf8");
  const shown = await page.evaluate((svg) => {
    const picture = new DOMParser().parseFromString(svg, "image/svg+xml");
    return { errors: picture.querySelectorAll("parsererror").length, lines: picture.querySelectorAll("path").length, words: [...picture.querySelectorAll("text")].map((word) => word.textContent) };
  }, text);
  expect(shown.errors).toBe(0);
  expect(shown.lines).toBeGreaterThan(20);
  // On the page labels give way to one another; the whole picture has room for all.
  const cards = ["0 none", "1 black", "2 blue", "3 green", "4 yellow", "5 red", "6 white", "7 brown"];
  expect(drawn.filter((text) => cards.includes(text)).length).toBeGreaterThan(4);
  expect(shown.words.filter((text) => cards.includes(text ?? ""))).toEqual(cards);
});
