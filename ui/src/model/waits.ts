// Who waits for whom: agents, what each waits for or has still to take, and rings of waiting.
import type { AgentCard } from "./types";

export interface Wait {
  from: string;
  to: string;
  /** What is waited for, or on its way. */
  what: string;
  /** A message that waits for its receiver; else an agent that waits. */
  message: boolean;
}

/** What an agent waits for, in its own words: `waits on k, line 6`. */
const waited = (why: string): string | null => /\bwaits? (?:on|for) ([\w.]+)/.exec(why)?.[1] ?? null;

export function waits(agents: readonly AgentCard[]): Wait[] {
  return agents.flatMap((agent): Wait[] => {
    const on = waited(agent.stuck ?? "");
    const own = on === null ? [] : [{ from: agent.name, to: on, what: "waits", message: false }];
    return [...own, ...agent.inbox.map((what) => ({ from: "", to: agent.name, what, message: true }))];
  });
}

/** Those who wait for each other, so that none of them ever goes on. */
export function ring(all: readonly Wait[]): Set<string> {
  const next = new Map(all.filter((wait) => !wait.message).map((wait) => [wait.from, wait.to]));
  const found = new Set<string>();
  for (const start of next.keys()) {
    const seen: string[] = [];
    let at: string | undefined = start;
    while (at !== undefined && !seen.includes(at)) {
      seen.push(at);
      at = next.get(at);
    }
    if (at !== undefined) {
      seen.slice(seen.indexOf(at)).forEach((name) => found.add(name));
    }
  }
  return found;
}
