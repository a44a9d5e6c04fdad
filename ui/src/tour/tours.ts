// Tours of the examples: a file beside each README says, step by step, one sentence, which control it means and what is
// pressed. They are played by the page, and by its tests.
import type { Deed } from "../model/tour";
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

const FILES = import.meta.glob<Tour>("../../../examples/*/tour.json", { import: "default", eager: true });

/** The tour of a program, by its path. */
export function tourOf(program: string): Tour | null {
  const name = program.split("/").pop()?.replace(/\.\w+$/, "") ?? "";
  const folder = program.split("/").at(-2) ?? "";
  const file = program.split("/").pop() ?? "";
  const told = Object.values(FILES).find((tour) => tour.program === file);
  return told ?? FILES[`../../../examples/${folder}/tour.json`] ?? FILES[`../../../examples/${name}/tour.json`] ?? null;
}
