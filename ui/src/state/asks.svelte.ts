// What a panel asks for by itself, again and again while it is shown.
import { problem } from "../words";
import type { Look } from "../wire/types";
import { view, type Told } from "./view.svelte";

/** Asks whenever the question becomes another one; what an older question is answered counts no more. */
export function asks<K extends Told["reply"]>(
  question: () => Look | null,
  kind: K,
  take: (reply: Told<K>) => void,
  failed: (why: string) => void = () => undefined,
): void {
  $effect(() => {
    const command = view.status === "live" ? question() : null;
    let counts = true;
    if (command) {
      const answer = view.ask(command, kind);
      answer.then((reply) => counts && take(reply)).catch((error: unknown) => counts && failed(problem(error)));
    }
    return () => (counts = false);
  });
}
