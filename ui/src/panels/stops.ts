// Breakpoints in words: what they stop at, and where that is.
import type { BreakpointListing } from "../wire/types";
import { counted } from "../words";

/** What a breakpoint stops at. */
export function stopsAt({ kind, resolved }: BreakpointListing): string {
  if (typeof kind === "string") {
    return { trap: "any trap", event: "any event", limit: "any limit of the board" }[kind];
  }
  if ("write" in kind) {
    return `writes of ${kind.write}`;
  }
  if ("primitive" in kind) {
    return `calls of ${kind.primitive}`;
  }
  const place = resolved.split("/").pop() ?? resolved;
  return "function" in kind.code ? `${kind.code.function}, ${place}` : place;
}

/** On what condition, how often, and what it prints. */
export function details(breakpoint: BreakpointListing): string {
  return [
    breakpoint.condition && `if ${breakpoint.condition}`,
    breakpoint.hits > 1 && `from hit ${breakpoint.hits} on`,
    breakpoint.log && `prints "${breakpoint.log}"`,
    breakpoint.count > 0 && counted(breakpoint.count, "hit"),
  ]
    .filter(Boolean)
    .join(", ");
}
