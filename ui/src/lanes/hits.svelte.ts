// Each time that a breakpoint's line was passed on the recorded path, with what its message would have printed: print
// statements after the fact.
import { view } from "../state/view.svelte";
import type { BreakpointListing, CodePlace, HitRow } from "../wire/types";

/** Hits of a breakpoint that are told. */
const MOST = 2000;

/** Where a breakpoint stands, if it is a place in the code. */
function placeOf({ kind, resolved }: BreakpointListing): CodePlace | null {
  if (typeof kind !== "object" || !("code" in kind)) {
    return null;
  }
  const line = /(?:^| at |, )([^\s:,]+):(\d+)/.exec(resolved);
  return line ? { line: { file: line[1] ?? null, line: Number(line[2]) } } : kind.code;
}

/** What is told of each hit: what the message prints, or the condition; 1, where there is neither. */
export function expressionOf({ log, condition }: Pick<BreakpointListing, "log" | "condition">): string {
  return /\{([^}]+)\}/.exec(log ?? "")?.[1] ?? condition ?? "1";
}

class Hits {
  /** By the number of the breakpoint. */
  known = $state.raw<ReadonlyMap<number, HitRow[]>>(new Map());
  private turn = 0;

  async ask(): Promise<void> {
    const turn = ++this.turn;
    const found = new Map<number, HitRow[]>();
    for (const breakpoint of view.breakpoints) {
      const place = placeOf(breakpoint);
      if (place === null) {
        continue;
      }
      try {
        const told = await view.ask({ command: "hits", place, expression: expressionOf(breakpoint), from: 0, most: MOST }, "hits");
        if (turn !== this.turn) {
          return;
        }
        const isPlain = expressionOf(breakpoint) === "1";
        found.set(breakpoint.id, isPlain ? told.hits.map((hit) => ({ ...hit, value: "" })) : told.hits);
        this.known = new Map(found);
      } catch {
        return;
      }
    }
    this.known = found;
  }
}

export const hits = new Hits();
