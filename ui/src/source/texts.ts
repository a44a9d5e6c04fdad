// Texts of the program's files, as the session knows them: each is asked for once.
import { view } from "../state/view.svelte";

class Texts {
  private known = new Map<string, string>();
  private asked = new Map<string, Promise<void>>();
  /** The program that they are of. */
  private program = view.program;

  /** The text of a file, if it was fetched; empty if there is none, as of many a library. */
  of(file: string): string | null {
    this.look();
    return this.known.get(file) ?? null;
  }

  /** Fetches the text of a file; what the session refuses is shown. */
  fetch(file: string): Promise<void> {
    this.look();
    const asked = this.asked.get(file) ?? this.ask(file);
    this.asked.set(file, asked);
    return asked;
  }

  private async ask(file: string): Promise<void> {
    const { program } = view;
    const reply = await view.want({ command: "list", place: { line: { file, line: 1 } }, around: 1_000_000 }, "source");
    if (program === this.program) {
      // What the session refuses it has not: that is not asked again.
      const text = reply?.lines.map((line) => line.text).join("\n") ?? "";
      this.known.set(file, text.trim() === "" ? "" : text);
    }
  }

  /** Another program's files are others, also under the same names. */
  private look(): void {
    if (this.program !== view.program) {
      this.program = view.program;
      this.known = new Map();
      this.asked = new Map();
    }
  }
}

export const texts = new Texts();
