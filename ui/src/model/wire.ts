// Questions to the server of a model program, and their answers. The types are made from the server's.
import type { ModelAsk, ModelTell } from "./types";

export type Status = "unexplored" | "running" | "paused" | "held" | "end" | "stuck" | "deadlock";

/** All that an answer can be called. */
type Kind = ModelTell extends infer Tell ? (Tell extends unknown ? keyof Tell : never) : never;

/** What an answer of a kind says. */
export type Told<K extends Kind> = Extract<ModelTell, Record<K, unknown>> extends Record<K, infer Answer> ? Answer : never;

/** Questions that have no answer yet. */
let open = 0;

/** Whether the server has still to answer. */
export const waits = (): boolean => open > 0;

async function post(path: string, init: RequestInit): Promise<Response> {
  open += 1;
  try {
    return await fetch(path, init);
  } finally {
    open -= 1;
  }
}

/** Asks the server for an answer of a kind; what it refuses is thrown as an error with its words. */
export async function ask<K extends Kind>(question: ModelAsk, kind: K): Promise<Told<K>> {
  const response = await post("./ask", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  });
  if (!response.ok) {
    throw new Error(`the server answers with ${response.status}`);
  }
  const answer = (await response.json()) as Partial<Record<string, unknown>>;
  if (typeof answer["error"] === "string") {
    throw new Error(answer["error"]);
  }
  if (answer[kind] === undefined) {
    throw new Error("the server answers something else: is it of another version?");
  }
  return answer[kind] as Told<K>;
}

/** Ends what the server is doing for whoever asked: they get what was found. */
export async function pause(): Promise<void> {
  await fetch("./pause", { method: "POST" });
}

/** How many states are known to what the server is doing; null if it does nothing. */
export async function progress(): Promise<number | null> {
  const response = await fetch("./progress", { method: "POST" });
  return response.ok ? ((await response.json()) as number | null) : null;
}

/** All states of the program as bytes; the first question explores them. */
export async function allStates(): Promise<ArrayBuffer> {
  const response = await post("./states", { method: "POST" });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return response.arrayBuffer();
}
