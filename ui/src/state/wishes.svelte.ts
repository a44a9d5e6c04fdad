// What the user wants to see of the multiverse: unfolded runs, hidden branches. Kept by the page, not by the server.

class Wish {
  unfolded = $state.raw<ReadonlySet<string>>(new Set());
  opened = $state.raw<ReadonlyMap<string, number>>(new Map());
  collapsed = $state.raw<ReadonlySet<number>>(new Set());
  only = $state.raw<ReadonlySet<number> | null>(null);
  /** Forks whose leaves are shown one by one, however many. */
  spread = $state.raw<ReadonlySet<string>>(new Set());
  /** Steps after the selected place. */
  selectedOffset = $state(0);

  /** Unfolds the run that begins at a place. */
  unfold(branch: number, from: number): void {
    this.unfolded = new Set(this.unfolded).add(`${branch}.${from}`);
  }

  /** Unfolds a deterministic run to single instructions. */
  open(key: string, steps: number): void {
    const opened = new Map(this.opened);
    if (!opened.delete(key)) {
      opened.set(key, steps);
    }
    this.opened = opened;
  }

  collapse(branch: number): void {
    const collapsed = new Set(this.collapsed);
    if (!collapsed.delete(branch)) {
      collapsed.add(branch);
    }
    this.collapsed = collapsed;
  }

  /** Folds and shows everything again. */
  reset(): void {
    this.unfolded = new Set();
    this.opened = new Map();
    this.collapsed = new Set();
    this.only = null;
    this.spread = new Set();
  }

  /** Shows the leaves of a fork one by one. */
  unband(branch: number, fork: number): void {
    this.spread = new Set(this.spread).add(`${branch}.${fork}`);
  }
}

export const wish = new Wish();
