// Recordings that were merged: how many went which way is seen, and heard.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { borges, launch, open, ready, ROOT, Server } from "./support";

test("merged recordings: lines are as wide as many went that way, and it is said in words", async () => {
  const folder = mkdtempSync(join(tmpdir(), "borges-merge-"));
  const program = join(ROOT, "examples/temperature-monitor/temperature-monitor.wasm");
  // Eleven devices: the first is recorded ten times.
  const files = Array.from({ length: 11 }, (_, n) => join(folder, `${n}.borges`));
  files.forEach((file, n) => execFileSync(borges(), ["record", program, "-o", file, "--steps", "3000", "--seed", n === 10 ? "2" : "1"]));
  const merged = join(folder, "all.borges");
  execFileSync(borges(), ["merge", ...files, "-o", merged]);
  const server = await Server.start([merged]);
  const browser = await launch();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const page = await open(context, server.url);
    await ready(page);
    await page.getByRole("note").getByText("11 recordings").waitFor();
    const wide = (branch: number) =>
      page.evaluate((branch) => {
        const at = window.borgesTree?.spot(branch, 5);
        const canvas = document.querySelector<HTMLCanvasElement>(".tree canvas");
        const context = canvas?.getContext("2d");
        if (!at || !canvas || !context) {
          return 0;
        }
        const box = canvas.getBoundingClientRect();
        const ratio = canvas.width / box.width;
        // Between two entries, where nothing but the line is.
        const { data } = context.getImageData(Math.round((at.x - box.left - 52) * ratio), Math.round((at.y - box.top - 14) * ratio), 1, Math.round(28 * ratio));
        return Array.from({ length: data.length / 4 }, (_, n) => (data[4 * n + 3] ?? 0) > 128).filter(Boolean).length / ratio;
      }, branch);
    await expect.poll(() => wide(0)).toBeGreaterThan(6);
    expect(await wide(1)).toBeLessThan(4);
    expect(await page.evaluate(() => window.borgesTree?.labels().some(({ text }) => text.endsWith("×1")))).toBe(true);
    // Who does not see the picture hears it.
    const tree = page.getByRole("tree", { name: /^Multiverse/ });
    await expect.poll(() => tree.getByText("11 of 11 recordings").count()).toBeGreaterThan(0);
    await tree.focus();
    for (let n = 0; n < 4; n++) {
      await page.keyboard.press("ArrowRight");
    }
    await tree.getByRole("treeitem", { selected: true }).getByText("10 of 11 recordings").waitFor();
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
