// Questions to the server of a model program, and their answers.

export type Status = "unexplored" | "running" | "paused" | "held" | "end" | "stuck" | "deadlock";

export interface Order {
  order: string;
  [key: string]: unknown;
}

export interface GraphAnswer {
  name: string;
  language: string;
  text: string;
  breakpoints: { id: number; spec: string; on: boolean }[];
  statuses: Status[];
  first_link: number;
  from: number[];
  to: number[];
  command: number[];
}

export interface Link {
  id: number;
  from: number;
  to: number;
  command: boolean;
  agent: string;
  receiver: string | null;
  rule: string;
  text: string;
  line: number | null;
  rules: string[];
}

export interface Agent {
  name: string;
  mode: string;
  next: string;
  line: number | null;
  fields: [string, string][];
  inbox: string[];
  calls: string[];
  output: string[];
  stuck: string | null;
}

export interface Possible {
  label: string;
  agent: string | null;
  order: Order;
}

export interface Card {
  node: { id: number; status: Status; why: string[] };
  agents: Agent[];
  text: string;
  outcome: string | null;
  possible: Possible[];
}

export interface CardAnswer {
  card: Card;
  path: Link[];
  leaving: Link[];
}

export interface Change {
  agent: string;
  what: string;
  before: string;
  after: string;
}

export interface Ran {
  from: number;
  paused: number[];
  ends: number[];
  held: number[];
  cut: boolean;
  never_reached: boolean;
}

export interface Came {
  breakpoint: number | null;
  ran: Ran | null;
}

export interface Opinion {
  holds: boolean | null;
  steps: string[];
  cycle: string[];
}

export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
  more: boolean;
}

/** Asks the server; what it refuses is thrown as an error with its words. */
export async function ask<T>(question: { ask: string; [key: string]: unknown }): Promise<T> {
  const response = await fetch("./ask", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  });
  if (!response.ok) {
    throw new Error(`the server answers with ${response.status}`);
  }
  const answer = (await response.json()) as T & { error?: string };
  if (answer.error !== undefined) {
    throw new Error(answer.error);
  }
  return answer;
}
