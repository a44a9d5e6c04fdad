// The pace of a run against the board's own clock.
import { view } from "./view.svelte";

export const PACES = { "1×": 1, "10×": 10, max: null } as const;
export type PaceName = keyof typeof PACES;
const NAMES = Object.keys(PACES) as PaceName[];

class Pace {
  /** What the user chose; null while the page chooses. */
  private wanted = $state<PaceName | null>(null);
  readonly shown = $derived(this.wanted ?? NAMES.find((name) => PACES[name] === (view.pace.times ?? null)) ?? "max");

  choose(name: PaceName): void {
    this.wanted = name;
    view.tell({ ask: "pace", times: PACES[name] });
  }

  /**
   * A run begins. Until the user chooses a pace, one that nothing is to stop goes as the board would, so that one sees what
   * it does; one that looks for something goes as fast as it can.
   */
  begin(): void {
    if (this.wanted === null) {
      const isSearch = view.breakpoints.some(({ enabled, log }) => enabled && !log) || view.streams !== null;
      view.tell({ ask: "pace", times: isSearch ? null : 1 });
    }
  }
}

export const pace = new Pace();
