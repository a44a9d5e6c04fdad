// What benches measure in a page.
import type { Page } from "playwright-core";

/** Notes every task of the page that takes longer than 50 ms. */
export async function watchTasks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
    (window as unknown as { tasks: number[] }).tasks = tasks;
  });
}

/** The longest of them so far. */
export const longest = (page: Page): Promise<number> => page.evaluate(() => Math.max(0, ...(window as unknown as { tasks: number[] }).tasks));

export interface Frames {
  median: number;
  worst: number;
}

/** The median and the worst time between two frames while a view is panned to and fro. */
export async function pan(page: Page, view: "borgesTree" | "borgesStates"): Promise<Frames> {
  return page.evaluate(async (view) => {
    const times: number[] = [];
    let last = performance.now();
    for (let n = 0; n < 120; n++) {
      window[view]?.pan(n % 40 < 20 ? 37 : -37, n < 60 ? 61 : -61);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    times.sort((a, b) => a - b);
    return { median: times[60] ?? 0, worst: times[119] ?? 0 };
  }, view);
}
