// How long a person waits, in headless Chromium: for the first picture, for a step, for Pause. Prints figures, and fails beyond bounds.
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIAL, launch, open, ready, ROOT, Server } from "./support";

const PRESSES = 200;
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});

/** The time below which so many of a hundred are. */
function centile(times: number[], of: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * of) / 100))] ?? 0;
}

const told = (name: string, times: number[]): string =>
  `${name}: median ${centile(times, 50).toFixed(1)} ms, 95 of 100 below ${centile(times, 95).toFixed(1)}, 99 below ${centile(times, 99).toFixed(1)}, longest ${Math.max(...times).toFixed(1)}`;

/** Notes when the page first shows where the program stands. */
async function watchFirst(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const look = new MutationObserver(() => {
      if (document.querySelector(".universe")) {
        look.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => ((window as unknown as { first: number }).first = performance.now())));
      }
    });
    look.observe(document, { subtree: true, childList: true });
  });
}

/** From a key to the picture of what it did. */
async function key(page: Page, name: string): Promise<number> {
  return page.evaluate(async (name) => {
    const where = document.querySelector(".where");
    const before = where?.textContent;
    const begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
    while (where?.textContent === before) {
      await new Promise((next) => requestAnimationFrame(next));
    }
    await new Promise((next) => requestAnimationFrame(next));
    return performance.now() - begun;
  }, name);
}

test("the first picture, and steps", { timeout: 120_000 }, async () => {
  const server = await Server.start([DIAL]);
  const first: number[] = [];
  for (let n = 0; n < 10; n++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await open(context, server.url, watchFirst);
    await page.waitForFunction(() => (window as unknown as { first?: number }).first !== undefined);
    first.push(await page.evaluate(() => (window as unknown as { first: number }).first));
    await context.close();
  }
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, server.url);
  await ready(page);
  const steps: number[] = [];
  for (let n = 0; n < PRESSES; n++) {
    steps.push(await key(page, n % 4 === 3 ? "N" : "n"));
  }
  console.log(`${told("first picture", first)}\n${told("a step", steps)}`);
  await context.close();
  await server.stop();
  expect(centile(first, 50)).toBeLessThan(500);
  expect(centile(steps, 95)).toBeLessThan(50);
});

test("pause", { timeout: 300_000 }, async () => {
  const server = await Server.start([join(ROOT, "examples/temperature-monitor/temperature-monitor.wasm")]);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, server.url);
  await ready(page);
  const pauses: number[] = [];
  for (let n = 0; n < PRESSES; n++) {
    await page.keyboard.press("c");
    await page.locator('[data-tour="run"][title^="Pause"]').waitFor();
    await page.waitForTimeout(20 + ((n * 37) % 180));
    pauses.push(
      await page.evaluate(async () => {
        const run = document.querySelector('[data-tour="run"]');
        const begun = performance.now();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "p", bubbles: true }));
        while (run?.getAttribute("title")?.startsWith("Pause")) {
          await new Promise((next) => requestAnimationFrame(next));
        }
        return performance.now() - begun;
      }),
    );
  }
  console.log(told("pause", pauses));
  await context.close();
  await server.stop();
  expect(centile(pauses, 99)).toBeLessThan(100);
});
