// The universes of a session that were seen, in columns: a large graph is a few long lists, not many small objects.
import type { UniversesFrame } from "../wire/frames";
import type { Graph } from "./layout";

export type Status = "unexplored" | "running" | "paused" | "held" | "end" | "stuck" | "deadlock";

export interface Universes extends Graph {
  statuses: readonly Status[];
  /** For each edge, 1 if the user caused it. */
  command: Uint8Array;
}

export const NO_UNIVERSES: Universes = {
  nodes: 0,
  from: new Uint32Array(),
  to: new Uint32Array(),
  statuses: [],
  command: new Uint8Array(),
};

/** What is known with what was told; what is handed in stays as it is. */
export function grown(known: Universes, { header, universe, status, from, to, command }: UniversesFrame): Universes {
  const before = header.fresh ? NO_UNIVERSES : known;
  const statuses = [...before.statuses];
  universe.forEach((id, at) => {
    statuses[id] = header.statuses[status[at] ?? 0] as Status;
  });
  return {
    nodes: statuses.length,
    from: joined(before.from, from),
    to: joined(before.to, to),
    statuses,
    command: joined(before.command, command),
  };
}

function joined<T extends Uint8Array | Uint32Array>(before: T, after: T): T {
  const all = new (before.constructor as new (length: number) => T)(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}
