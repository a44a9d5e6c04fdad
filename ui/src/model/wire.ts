// Commands about a program of a model language, and their answers. The types are made from the server's.
import { view } from "../state/view.svelte";
import type { StatesFrame } from "../wire/frames";
import type { ModelCommand, ModelReply } from "./types";

/** What an answer of a kind says. */
export type Told<K extends ModelReply["reply"]> = Extract<ModelReply, { reply: K }>;

/** Asks for an answer of a kind; what the session refuses is thrown as an error with its words. */
export async function ask<K extends ModelReply["reply"]>(command: ModelCommand, kind: K): Promise<Told<K>> {
  const answer = (await view.socket().command(command)) as ModelReply;
  if (answer.reply !== kind) {
    throw new Error("the server answers something else: is it of another version?");
  }
  return answer as Told<K>;
}

/** All states of the program; the first question explores them. */
export async function allStates(): Promise<StatesFrame> {
  return (await view.socket().command({ command: "states" })) as StatesFrame;
}
