// Which dialogs are open.
import type { UniverseDifference } from "../wire/types";

class Dialogs {
  help = $state(false);
  exporting = $state(false);
  share = $state(false);
  open = $state(false);
  difference = $state.raw<UniverseDifference | null>(null);
  /** The line for which a breakpoint is edited. */
  breakpoint = $state.raw<{ file: string; line: number } | null>(null);

  get any(): boolean {
    return (
      this.help ||
      this.exporting ||
      this.share ||
      this.open ||
      this.difference !== null ||
      this.breakpoint !== null
    );
  }

  close(): void {
    this.help = false;
    this.exporting = false;
    this.share = false;
    this.open = false;
    this.difference = null;
    this.breakpoint = null;
  }
}

export const dialogs = new Dialogs();
