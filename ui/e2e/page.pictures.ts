// The pictures of the documentation, taken from the real page.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { DIAL, launch, open, ready, ROOT, Server } from "./support";

const FOLDER = join(ROOT, "docs/pictures");
let browser: Browser;

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});

/** A dial that was turned, a fork at a reading, and another colour tried. */
async function story(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Close the tour" }).click();
  await page.keyboard.press("a");
  await page.getByText("8 branches").waitFor();
  await page.getByRole("textbox", { name: "An expression over all universes" }).fill("motor 0 > 300");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /1 wrong/ }).click();
  await page.getByLabel("Motor 0: 315 degrees").waitFor();
  await page.locator(".cm-stops .cm-gutterElement").nth(19).click();
  await page.locator(".universe").click();
  await page.waitForTimeout(7000);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`page, ${colorScheme}`, async () => {
    const server = await Server.start([DIAL]);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme, reducedMotion: "reduce" });
    const page = await open(context, server.url);
    await ready(page);
    await story(page);
    await page.screenshot({ path: join(FOLDER, `page-${colorScheme}.png`) });
    await context.close();
    await server.stop();
  });
}
