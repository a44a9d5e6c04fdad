// The pace of a run against the board's own clock.

export const PACES = ["1×", "10×", "max"] as const;
export type PaceName = (typeof PACES)[number];

class Pace {
  shown = $state<PaceName>("max");
  /** Whether the server can run at a pace. */
  isThere = $state(false);

  choose(name: PaceName): void {
    this.shown = name;
  }
}

export const pace = new Pace();
