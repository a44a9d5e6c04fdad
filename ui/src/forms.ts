// What the forms of all panels have in common.
import type { CodePlace } from "./wire/types";

/** What a form does when it is sent, instead of asking the server for another page. */
export function sends(act: () => unknown): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    void act();
  };
}

/** A place as one types it: a line, a line of a file, else a function. */
export function placeOf(text: string): CodePlace {
  const line = /^(?:(.+):)?(\d+)$/.exec(text);
  return line ? { line: { file: line[1] ?? null, line: Number(line[2]) } } : { function: text };
}
