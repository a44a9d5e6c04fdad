// The pictures of the documentation, taken from the real page.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { DIAL, launch, move, open, ready, ROOT, Server } from "./support";

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
  for (let n = 0; n < 5; n++) {
    await move(page, "e");
  }
  while (!(await page.getByText("reads next").isVisible())) {
    await move(page, "E");
  }
  await page.getByRole("button", { name: /Branch into/ }).click();
  await page.getByText("8 branches").waitFor();
  await page.getByRole("button", { name: "5", exact: true }).click();
  await page.locator(".mock").waitFor();
  await move(page, "e");
  await move(page, "e");
  await page.getByRole("tab", { name: "Notes" }).click();
  await page.locator("#bookmark-name").fill("red");
  await page.keyboard.press("Enter");
  await page.getByText("red", { exact: true }).waitFor();
  await page.getByRole("tab", { name: "Variables" }).click();
  await page.locator(".universe").click();
  await page.locator(".cm-stops .cm-gutterElement").nth(18).click();
  await page.keyboard.press("N");
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Dismiss" }).first().click();
  await page.waitForTimeout(7000);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`page, ${colorScheme}`, async () => {
    const server = await Server.start([DIAL]);
    const context = await browser.newContext({ viewport: { width: 1440, height: 860 }, colorScheme, reducedMotion: "reduce" });
    const page = await open(context, server.url);
    await ready(page);
    await story(page);
    await page.screenshot({ path: join(FOLDER, `page-${colorScheme}.png`) });
    await context.close();
    await server.stop();
  });
}
