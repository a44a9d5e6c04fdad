// What is wrong with a page's shape: controls that nobody can press, words that fall on one another.
import type { Page } from "playwright-core";

/** Controls that are shown, and that no press would come to: cut off, outside, or below something else. */
export async function unreachable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element): boolean => {
      const style = getComputedStyle(element);
      return /auto|scroll/.test(style.overflowX + style.overflowY);
    };
    const wrong: string[] = [];
    for (const control of document.querySelectorAll<HTMLElement>("button, input, select, [role=tab]")) {
      const style = getComputedStyle(control);
      if (!control.checkVisibility() || style.visibility === "hidden" || style.opacity === "0" || control.closest(".actions, [popover]")) {
        continue;
      }
      let box = control.getBoundingClientRect();
      for (let above = control.parentElement; above; above = above.parentElement) {
        if (scrolls(above)) {
          control.scrollIntoView({ block: "nearest", inline: "nearest" });
          box = control.getBoundingClientRect();
          break;
        }
      }
      const name = control.getAttribute("aria-label") ?? control.textContent?.trim() ?? control.outerHTML;
      if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1) {
        wrong.push(`${name}: outside`);
        continue;
      }
      const under = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!under || !(control.contains(under) || under.contains(control) || under.closest(".pop"))) {
        wrong.push(`${name}: below ${under?.className.toString().slice(0, 40) ?? "nothing"}`);
      }
    }
    return wrong;
  });
}

/** Words of the tree that fall on one another, by the boxes that it drew them in. */
export async function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = window.borgesTree?.labels() ?? [];
    return boxes.flatMap((a, n) =>
      boxes
        .slice(n + 1)
        .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        .map((b) => `${a.text} and ${b.text}`),
    );
  });
}
