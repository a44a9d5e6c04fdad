// The multiverse of a program of a model language: a graph, of which every universe is shown where it was first come to.
import type { DebugSession } from "vscode";
import { say } from "../ask";
import type { Branch, Entry, Multiverse } from "./rows";

/** A step from a universe to another. */
export interface Edge {
  from: number;
  to: number;
  text: string;
}

export interface Universe {
  id: number;
  status: string;
}

interface Told {
  universes: Universe[];
  edges: Edge[];
}

export async function ofModel(session: DebugSession): Promise<Multiverse> {
  const said = await say(session, "universes");
  const told = said.reply as Partial<Told> | null;
  return runs(told?.universes ?? [], told?.edges ?? []);
}

/**
 * Branches of a graph: each goes on with the first step out of its last universe; the other steps there begin branches of
 * their own. Steps to a universe that was come to before add nothing.
 */
export function runs(universes: Universe[], edges: Edge[]): Multiverse {
  const status = new Map(universes.map(({ id, status }) => [id, status]));
  const leaving = new Map<number, Edge[]>();
  const seen = new Set([0]);
  for (const edge of edges) {
    if (!seen.has(edge.to)) {
      seen.add(edge.to);
      leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
    }
  }
  const branches: Branch[] = [];
  /** The steps of each branch, and the universe that each led to. */
  const steps: Edge[][] = [];
  const places = new Map<number, { branch: number; index: number }>([[0, { branch: 0, index: 0 }]]);
  const waiting: { parent: number; fork: number; first: Edge | undefined }[] = [{ parent: 0, fork: 0, first: leaving.get(0)?.[0] }];
  for (let at = 0; at < waiting.length; at++) {
    const { parent, fork, first } = waiting[at]!;
    const id = branches.length;
    const along: Edge[] = [];
    let last = 0;
    for (let step = first; step !== undefined; step = leaving.get(step.to)?.[0]) {
      along.push(step);
      last = step.to;
      places.set(step.to, { branch: id, index: fork + along.length });
    }
    branches.push({ id, parent, fork, tip: fork + along.length, end: ending(status.get(last)) });
    steps.push(along);
    for (const [universe, index] of [...(id === 0 ? [[0, 0] as const] : []), ...along.map((step, at) => [step.to, fork + at + 1] as const)]) {
      for (const other of (leaving.get(universe) ?? []).slice(1)) {
        waiting.push({ parent: id, fork: index, first: other });
      }
    }
  }
  const step = (branch: number, index: number): Edge | undefined => steps[branch]?.[index - (branches[branch]?.fork ?? 0) - 1];
  return {
    branches,
    async entries(branch, from, count) {
      const begin = from - (branches[branch]?.fork ?? 0);
      return (steps[branch] ?? []).slice(begin, begin + count).map(entry);
    },
    name: (branch, index) => (index === 0 ? "0" : String(step(branch, index)?.to ?? 0)),
    find: (universe) => places.get(Number(universe)),
  };
}

/** How a branch ends: nothing if it goes on in a universe that is shown elsewhere. */
function ending(status: string | undefined): string {
  return status === undefined || status === "running" ? "" : status;
}

function entry({ text }: Edge): Entry {
  return { text, kind: "step", mocked: false };
}
