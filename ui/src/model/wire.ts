// Questions to the server of a model program, and their answers. The types are made from the server's.
import type { ModelAsk, ModelTell } from "./types";

export type Status = "unexplored" | "running" | "paused" | "held" | "end" | "stuck" | "deadlock";

/** All that an answer can be called. */
type Kind = ModelTell extends infer Tell ? (Tell extends unknown ? keyof Tell : never) : never;

/** What an answer of a kind says. */
export type Told<K extends Kind> = Extract<ModelTell, Record<K, unknown>> extends Record<K, infer Answer> ? Answer : never;

/** Asks the server for an answer of a kind; what it refuses is thrown as an error with its words. */
export async function ask<K extends Kind>(question: ModelAsk, kind: K): Promise<Told<K>> {
  const response = await fetch("./ask", {
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

/** All states of the program as bytes; the first question explores them. */
export async function allStates(): Promise<ArrayBuffer> {
  const response = await fetch("./states", { method: "POST" });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return response.arrayBuffer();
}
