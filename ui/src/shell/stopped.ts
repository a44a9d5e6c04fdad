// Why the program stopped, in words.
import type { Stop } from "../wire/types";

const STOPS: Record<string, string> = {
  paused: "paused",
  start: "start of the program",
  tip: "end of what is recorded: Run goes on from here",
  "not-found": "nothing found that way",
  bound: "one run records no more than this: Run goes on",
};

export function stopped(stop: Stop): string {
  switch (stop.reason) {
    case "breakpoint":
      return `breakpoint ${stop.id}`;
    case "finished":
      return stop.results.length > 0 ? `finished: ${stop.results.join(", ")}` : "finished";
    case "trapped":
      return `trapped: ${stop.trap}`;
    case "limit":
      return `limit ${stop.limit}`;
    default:
      return STOPS[stop.reason] ?? "";
  }
}
