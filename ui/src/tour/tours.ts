// Tours of the examples: a file beside each README says, step by step, one sentence, which control it means and what is
// pressed. They are played by the page, and by its tests.
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
  /** What can be read on the page once the step is done. */
  shows?: string;
}

export interface Tour {
  steps: Step[];
}

const FILES = import.meta.glob<Tour>("../../../examples/*/tour.json", { import: "default", eager: true });

/** The tour of a program, by its path. */
export function tourOf(program: string): Tour | null {
  const name = program.split("/").pop()?.replace(/\.\w+$/, "") ?? "";
  const folder = program.split("/").at(-2) ?? "";
  return FILES[`../../../examples/${folder}/tour.json`] ?? FILES[`../../../examples/${name}/tour.json`] ?? null;
}
