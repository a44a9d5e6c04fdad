// Who wrote this: back to the last write of a variable.
import * as vscode from "vscode";
import type { Written } from "../../../ui/src/wire/types";
import { say } from "./ask";
import { command } from "./commands";
import type { Sessions } from "./sessions";
import { place } from "./words";

/** What the editor says of the variable whose menu was opened. */
interface Chosen {
  variable?: { name: string; evaluateName?: string };
}

export function registerWho(sessions: Sessions): vscode.Disposable {
  return command("borges.who", async (chosen?: Chosen) => {
    const { session } = sessions.standing();
    const what = chosen?.variable?.evaluateName ?? chosen?.variable?.name ?? word();
    if (what === undefined || what === "") {
      throw new Error("choose a variable, or put the cursor on its name");
    }
    const said = await say(session, `who ${what}`);
    if (!said.ok) {
      throw new Error(said.text.trim());
    }
    const reply = said.reply as ({ reply: string } & Written) | null;
    const text =
      reply?.reply === "written"
        ? `'${reply.what}' was ${reply.before} and became ${reply.after} here: ${place(reply.at)}`
        : said.text.trim();
    void vscode.window.showInformationMessage(text);
  });
}

/** The name under the cursor, or what is selected. */
function word(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return undefined;
  }
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  return range && document.getText(range);
}
