// The places that were visited: every move further than a step can be taken back.

class Trail {
  back = $state.raw<string[]>([]);
  forth = $state.raw<string[]>([]);

  /** A place is left for another that was not on the way. */
  leave(place: string): void {
    if (this.back.at(-1) !== place) {
      this.back = [...this.back.slice(-99), place];
    }
    this.forth = [];
  }

  /** The place to go back to from `here`, or on to. */
  take(here: string, which: "back" | "forth"): string | null {
    const from = this[which];
    const place = from.at(-1) ?? null;
    if (place !== null) {
      const other = which === "back" ? "forth" : "back";
      this[which] = from.slice(0, -1);
      this[other] = [...this[other], here];
    }
    return place;
  }
}

export const trail = new Trail();
