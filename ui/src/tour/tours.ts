// Tours of the examples: a file beside each README (tour.json) says, step by step, one sentence, which control it means and what is
// pressed. The server reads it; it is played by the page, and by its tests.
import type { Deed } from "../model/tour";
import type { PanelName } from "../state/panel.svelte";
import type { Command } from "../wire/types";

export interface Step {
  /** One sentence. */
  say: string;
  /** The control that is meant, by its `data-tour`. */
  control?: string;
  /** What the card's button says; without it, the step is only read. */
  press?: string;
  /** What pressing it does: the control itself, a key of the page's table, or commands one after the other. */
  key?: string;
  commands?: Command[];
  /** On the page of a model program. */
  model?: Deed;
  /** The panel that is brought to the front, after all that. */
  panel?: PanelName;
  /** What can be read on the page once the step is done. */
  shows?: string;
}

export interface Tour {
  /** The program's file, if it is not called as its folder is. */
  program?: string;
  /** What `borges debug` takes beside the program, at the repository's root. */
  open?: string[];
  steps: Step[];
}
