// Breakpoints in words: what they stop at, and where that is.
import type { BreakpointListing } from "../wire/types";
import { counted } from "../words";

/** What a breakpoint stops at; of a place, its file's own name is enough. */
export function stopsAt({ kind, what, resolved }: BreakpointListing): string {
  const place = resolved.split("/").pop() ?? resolved;
  if (typeof kind !== "object" || !("code" in kind)) {
    return what;
  }
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
