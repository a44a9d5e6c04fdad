// Questions about a program of a model language, and their answers. The types are made from the server's.
import { view } from "../state/view.svelte";
import type { StatesFrame } from "../wire/frames";
import type { ModelAsk, ModelTell } from "./types";

export type Status = "unexplored" | "running" | "paused" | "held" | "end" | "stuck" | "deadlock";

/** All that an answer can be called. */
type Kind = ModelTell extends infer Tell ? (Tell extends unknown ? keyof Tell : never) : never;

/** What an answer of a kind says. */
export type Told<K extends Kind> = Extract<ModelTell, Record<K, unknown>> extends Record<K, infer Answer> ? Answer : never;

/** Asks for an answer of a kind; what the session refuses is thrown as an error with its words. */
export async function ask<K extends Kind>(question: ModelAsk, kind: K): Promise<Told<K>> {
  const answer = (await view.socket().model(question)) as Partial<Record<string, unknown>>;
  if (answer[kind] === undefined) {
    throw new Error("the server answers something else: is it of another version?");
  }
  return answer[kind] as Told<K>;
}

/** All states of the program; the first question explores them. */
export async function allStates(): Promise<StatesFrame> {
  return (await view.socket().model({ ask: "states" })) as StatesFrame;
}
