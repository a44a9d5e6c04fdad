// How many things of a bar have room: the others go into its menu, so that nothing is ever cut off.

/** Room for the button of the menu. */
const MORE = 32;

/**
 * Watches a bar: its children with `data-item` are those that may go. Tells how many have room, from the first on.
 * Children that are not shown keep the width that they had.
 */
export function room(bar: HTMLElement, told: (fits: number) => void): () => void {
  const widths = new Map<string, number>();
  const look = (): void => {
    const items = [...bar.querySelectorAll<HTMLElement>(":scope > [data-item]")];
    const style = getComputedStyle(bar);
    const gap = parseFloat(style.columnGap) || 0;
    const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    for (const item of items) {
      if (item.offsetWidth > 0) {
        widths.set(item.dataset["item"] ?? "", item.offsetWidth);
      }
    }
    let left = bar.clientWidth - padding;
    for (const other of bar.querySelectorAll<HTMLElement>(":scope > :not([data-item])")) {
      const isSpring = other.classList.contains("space");
      left -= (isSpring ? 0 : "more" in other.dataset ? 0 : other.offsetWidth) + gap;
    }
    const wide = items.map((item) => (widths.get(item.dataset["item"] ?? "") ?? 0) + gap);
    const all = wide.reduce((sum, width) => sum + width, 0);
    if (all <= left + 1) {
      told(items.length);
      return;
    }
    let fits = 0;
    let used = MORE + gap;
    while (fits < wide.length && used + (wide[fits] ?? 0) <= left) {
      used += wide[fits] ?? 0;
      fits++;
    }
    told(fits);
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(look));
  observer.observe(bar);
  const changes = new MutationObserver(() => requestAnimationFrame(look));
  changes.observe(bar, { childList: true, characterData: true, subtree: true });
  void document.fonts?.ready.then(look);
  return () => {
    observer.disconnect();
    changes.disconnect();
  };
}
