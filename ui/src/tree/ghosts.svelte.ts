// Futures by themselves: when the program stands still, the page asks quietly what can come next. Whatever the user does
// comes first: the question is dropped at his first key.
import { view } from "../state/view.svelte";

const KEPT = "borges.ghosts";

class Ghosts {
  wanted = $state(kept());

  toggle(): void {
    this.wanted = !this.wanted;
    try {
      localStorage.setItem(KEPT, this.wanted ? "on" : "off");
    } catch {
      // A browser that keeps nothing forgets this too.
    }
    if (!this.wanted && view.isQuiet) {
      this.drop();
    }
  }

  /** What the answer depends on: where one is, what is recorded, and what is mocked. */
  private readonly place = $derived(JSON.stringify([view.info?.here.universe, view.revision, view.mocks]));
  private asked = $state("");

  /** Whether nobody has asked what can come next from here: neither the page nor the user. */
  readonly isDue = $derived(this.wanted && (view.suggestions === null || (view.isQuiet && this.asked !== this.place)));

  /** Asks for what can come next, unless the user has asked something himself. */
  ask(): void {
    if (this.isDue && view.work === null && view.moving === 0) {
      this.asked = this.place;
      void view.suggest({ ask: "paths" }, { inputs: 1, time_ms: 600, selects: false, boards: true }, true);
    }
  }

  /** What is asked quietly gives way. */
  drop(): void {
    if (view.isQuiet) {
      view.isQuiet = false;
      view.endSuggestions();
    }
  }

  /** A key was pressed: what is still being looked for is not waited for. */
  interrupt(): void {
    if (view.suggestions?.working) {
      this.drop();
    }
  }
}

function kept(): boolean {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
}

export const ghosts = new Ghosts();
