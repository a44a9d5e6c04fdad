// What the keyboard needs of the source: where the cursor is.
import { view } from "../state/view.svelte";
import type { Direction } from "../wire/types";

class Cursor {
  file = $state<string | null>(null);
  line: () => number = () => 1;
  toggle: () => void = () => undefined;
  edit: () => unknown = () => undefined;
  focus: () => void = () => undefined;
  reveal: (file: string, line: number) => void = () => undefined;

  /** Runs until the cursor's line. */
  runTo(direction: Direction = "forward"): void {
    const place = { line: { file: this.file, line: this.line() } };
    void view.run({ command: "run-to", place, direction });
  }
}

export const cursor = new Cursor();
