// How the page is divided: by the room there is, and as the user moved its borders.
import { MediaQuery } from "svelte/reactivity";

const KEPT = "borges.sizes";
/** What a border may be moved to, and where it stands at first, in pixels. */
export const BORDERS = {
  left: { least: 240, most: 560, first: 376 },
  right: { least: 240, most: 560, first: 312 },
  lanes: { least: 96, most: 640, first: 264 },
} as const;
export type Border = keyof typeof BORDERS;

function remembered(): Partial<Record<Border, number>> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Record<Border, number>>;
  } catch {
    return {};
  }
}

class Shape {
  private readonly wide = new MediaQuery("min-width: 1200px");
  private readonly middle = new MediaQuery("min-width: 760px");
  private moved = $state.raw(remembered());

  get columns(): 1 | 2 | 3 {
    return this.wide.current ? 3 : this.middle.current ? 2 : 1;
  }

  size(border: Border): number {
    const { least, most, first } = BORDERS[border];
    const narrow = { left: 274, right: first, lanes: 212 }[border];
    return Math.min(most, Math.max(least, this.moved[border] ?? (this.columns === 3 ? first : narrow)));
  }

  /** Moves a border, or back to where it was at first. */
  move(border: Border, size: number | null): void {
    this.moved = { ...this.moved, [border]: size ?? undefined };
    try {
      localStorage.setItem(KEPT, JSON.stringify(this.moved));
    } catch {
      // A browser that keeps nothing forgets this too.
    }
  }
}

export const shape = new Shape();
