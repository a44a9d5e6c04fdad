// Every example's tour, played to its bug: at three sizes, light and dark; at each size once by mouse and once by keyboard alone.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
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
/** Which theme is played by mouse changes from one example to the next. */
const themes = (nth: number) =>
  nth % 2 === 0 ? ([["light", "mouse"], ["dark", "keyboard"]] as const) : ([["dark", "mouse"], ["light", "keyboard"]] as const);
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

for (const [nth, { name, tour }] of tours.entries()) {
  const { steps, program, open: args = [] } = tour;
  const shapes = SIZES.flatMap((size) => themes(nth).map(([colorScheme, how]) => ({ ...size, colorScheme, how })));
  for (const { how, width, height, colorScheme } of shapes) {
    test(`${name}, by ${how} at ${width}, ${colorScheme}`, async () => {
      const server = await Server.start([join(EXAMPLES, name, program ?? `${name}.wasm`), ...args]);
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
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
          const picture = `${name}-${n}-${width}-${colorScheme}`;
          const png = await taken(page, devtools);
          writeFileSync(join(KEPT, `${picture}.png`), png, "base64");
          expect(await differs(page, picture, png), `${join(KEPT, picture)}.png`).toBeNull();
          expect(await overlaps(page), `labels at step ${n}`).toEqual([]);
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
