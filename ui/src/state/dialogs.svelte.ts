// Which dialog is open.
import type { UniverseDifference } from "../wire/types";

/** A dialog, and what it is about. */
export type Dialog =
  | { is: "keys" | "share" | "export" | "open" }
  | { is: "difference"; difference: UniverseDifference }
  | { is: "breakpoint"; place: { file: string; line: number } };

class Dialogs {
  shown = $state.raw<Dialog | null>(null);

  close(): void {
    this.shown = null;
  }
}

export const dialogs = new Dialogs();
