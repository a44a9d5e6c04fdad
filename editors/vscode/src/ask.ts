// Requests that only Borges knows.
import type { DebugSession } from "vscode";
import type { Command, Question, Reply, SuggestionListing, Within } from "../../../ui/src/wire/types";

type Kind = Reply["reply"];
type Told<K extends Kind> = Extract<Reply, { reply: K }>;

/** What a line of the command language came to. */
export interface Said {
  ok: boolean;
  text: string;
  reply: unknown;
}

/** Has the session carry out a command; what it refuses is thrown as an error with its words. */
export async function ask<K extends Kind>(session: DebugSession, command: Command, kind: K): Promise<Told<K>> {
  const reply = (await session.customRequest("borges/session", { command })) as Reply;
  if (reply.reply !== kind) {
    throw new Error(`the debugger answers '${reply.reply}' to '${command.command}': is it of another version?`);
  }
  return reply as Told<K>;
}

/** Has a line of the command language carried out. */
export async function say(session: DebugSession, line: string): Promise<Said> {
  return (await session.customRequest("borges/command", { line })) as Said;
}

/** Asks about futures, from the place shown. */
export async function suggest(session: DebugSession, question: Question, within: Partial<Within>): Promise<SuggestionListing> {
  return ask(session, { command: "suggest", question, within: { selects: false, boards: false, ...within } }, "suggestions");
}

/** Shows another universe: its number, a bookmark, or a moment. */
export async function jump(session: DebugSession, universe: string): Promise<void> {
  await session.customRequest("borges/jump", { universe });
}
