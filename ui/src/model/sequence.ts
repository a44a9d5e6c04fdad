// A path as a sequence diagram: a column for each agent, a row for each step.
import type { LinkRow } from "./types";

export interface Message {
  row: number;
  from: number;
  /** The column of the receiver; none for a step that nobody else notices. */
  to: number | null;
  text: string;
  command: boolean;
  edge: number;
}

export interface Sequence {
  agents: string[];
  messages: Message[];
}

/** The diagram of a path, with agents in the order of their first appearance. */
export function sequence(path: readonly Pick<LinkRow, "id" | "agent" | "receiver" | "text" | "command">[]): Sequence {
  const agents: string[] = [];
  const column = (name: string): number => {
    const known = agents.indexOf(name);
    return known >= 0 ? known : agents.push(name) - 1;
  };
  const messages = path.map((link, row) => {
    const from = link.command ? 0 : column(link.agent);
    const to = link.receiver === null || link.command ? null : column(link.receiver);
    return { row, from, to, text: link.text, command: link.command, edge: link.id };
  });
  return { agents, messages };
}
