// Pictures are held against those that somebody has looked at and accepted: as small grey ones, so that letters and their edges do not
// count, but what stands where does. `UPDATE=1 scripts/page.sh test` accepts what there is.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { ROOT } from "./support";

const FILE = join(ROOT, "ui/e2e/accepted.json");
/** Each picture has about so many cells. */
const CELLS = 800;
/** Cells may differ so much on the average, of 255. */
const TOLERANCE = 10;

const accepted = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, string>;
const seen: Record<string, string> = {};

/** A picture in cells of grey. */
async function cells(page: Page, png: string): Promise<number[]> {
  return page.evaluate(
    async ([text, count]) => {
      const letters = atob(text);
      const bytes = new Uint8Array(letters.length);
      for (let at = 0; at < letters.length; at++) {
        bytes[at] = letters.charCodeAt(at);
      }
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const wide = Math.round(Math.sqrt((count * picture.width) / picture.height));
      const high = Math.round(count / wide);
      const canvas = new OffscreenCanvas(wide, high);
      const context = canvas.getContext("2d");
      if (!context) {
        return [];
      }
      context.imageSmoothingQuality = "high";
      context.drawImage(picture, 0, 0, wide, high);
      const { data } = context.getImageData(0, 0, wide, high);
      return Array.from({ length: wide * high }, (_, n) => Math.round(((data[4 * n] ?? 0) + (data[4 * n + 1] ?? 0) + (data[4 * n + 2] ?? 0)) / 3));
    },
    [png, CELLS] as const,
  );
}

/** A picture of what the page shows, as PNG in base 64, compressed little: hundreds are taken, and most of the time would go there. */
export async function taken(page: Page, devtools: CDPSession): Promise<string> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const { data } = await devtools.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
  return data;
}

/** How far a picture is from the accepted one: null if it is near enough, else in words. */
export async function differs(page: Page, name: string, png: string): Promise<string | null> {
  const now = await cells(page, png);
  seen[name] = Buffer.from(now).toString("base64");
  if (process.env["UPDATE"]) {
    return null;
  }
  const known = accepted[name];
  if (known === undefined) {
    return "nobody has accepted this picture: look at it, then UPDATE=1 scripts/page.sh test";
  }
  const before = [...Buffer.from(known, "base64")];
  const far = now.reduce((sum, cell, at) => sum + Math.abs(cell - (before[at] ?? 0)), 0) / now.length;
  return before.length === now.length && far <= TOLERANCE ? null : `cells differ by ${far.toFixed(1)} of 255 on the average, ${TOLERANCE} are allowed: if it is as it should be, UPDATE=1 scripts/page.sh test`;
}

/** Keeps what was seen, if that is accepted. */
export function accept(): void {
  if (process.env["UPDATE"]) {
    const all = { ...accepted, ...seen };
    const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
  }
}
