// Every example's tour, played to its bug: at three sizes, by mouse or by keyboard alone, each step light and dark.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tour } from "../src/tour/tours";
import { accept, differs, taken } from "./accepted";
import { overlaps, unreachable } from "./reach";
import { launch, open, ready, ROOT, Server } from "./support";

const EXAMPLES = join(ROOT, "examples");
const KEPT = process.env["PAGE_PICTURES"] ?? join(tmpdir(), "borges-tours");
/** The examples with a tour, and the program that it is of. */
const tours = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, "tour.json")))
  .map((name) => ({ name, tour: JSON.parse(readFileSync(join(EXAMPLES, name, "tour.json"), "utf8")) as Tour }));
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
/** Whose turn it is changes from one size to the next, and from one example to the next. */
const hand = (turn: number): "mouse" | "keyboard" => (turn % 2 === 0 ? "mouse" : "keyboard");
/** And the theme with each step. */
const theme = (turn: number): "light" | "dark" => (turn % 2 === 0 ? "light" : "dark");
let browser: Browser;

beforeAll(async () => {
  mkdirSync(KEPT, { recursive: true });
  browser = await launch();
});
afterAll(async () => {
  accept();
  await browser.close();
});

/** Presses what the card says, and waits until what it leads to can be seen. */
async function press(page: Page, how: "mouse" | "keyboard", number: number, of: number): Promise<void> {
  const card = page.getByRole("region", { name: "Tour" });
  await card.getByText(`${number} of ${of}`).waitFor();
  if (how === "mouse") {
    await card.locator(".foot button").click();
  } else {
    await page.keyboard.press(".");
  }
}

/** Holds what the page shows against the accepted pictures, in the theme whose turn it is and then in the other one. */
async function look(page: Page, devtools: CDPSession, turn: number, step: string): Promise<void> {
  for (const colorScheme of [theme(turn), theme(turn + 1)]) {
    await page.emulateMedia({ colorScheme });
    // What is drawn by hand is drawn anew in the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const picture = `${step}-${colorScheme}`;
    const png = await taken(page, devtools);
    writeFileSync(join(KEPT, `${picture}.png`), png, "base64");
    expect(await differs(page, picture, png), `${join(KEPT, picture)}.png`).toBeNull();
    expect(await overlaps(page), `labels at ${picture}`).toEqual([]);
  }
}

for (const [nth, { name, tour }] of tours.entries()) {
  const { steps, program, open: args = [] } = tour;
  for (const [mth, { width, height }] of SIZES.entries()) {
    const how = hand(nth + mth);
    test(`${name}, by ${how} at ${width}`, async () => {
      const server = await Server.start([join(EXAMPLES, name, program ?? `${name}.wasm`), ...args]);
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme(nth + 1), reducedMotion: "reduce" });
      try {
        const page = await open(context, server.url);
        const devtools = await context.newCDPSession(page);
        await (program ? page.getByRole("region", { name: "Tour" }).waitFor() : ready(page));
        for (let n = 1; n <= steps.length; n++) {
          await press(page, how, n, steps.length);
          const shows = steps[n - 1]?.shows;
          if (shows) {
            await page.waitForFunction((text) => document.body.innerText.includes(text), shows);
          }
          // A step ends in the theme in which the next one begins.
          await look(page, devtools, nth + n, `${name}-${n}-${width}`);
        }
        await page.getByRole("region", { name: "Tour" }).waitFor({ state: "detached" });
        expect(await unreachable(page), "controls out of reach").toEqual([]);
      } finally {
        await context.close();
        await server.stop();
      }
    });
  }
}
