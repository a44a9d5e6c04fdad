// Ways to move that the editor's own buttons have not.
import * as vscode from "vscode";
import { jump, say } from "./ask";
import { command } from "./commands";
import type { Sessions } from "./sessions";

type Size = "into" | "over" | "out" | "entry" | "instruction";

export function registerMotions(sessions: Sessions): vscode.Disposable {
  const step = (name: string, direction: "forward" | "backward", size: Size) =>
    command(name, () => sessions.standing().session.customRequest("borges/step", { direction, size }));
  return vscode.Disposable.from(
    step("borges.reverseStepInto", "backward", "into"),
    step("borges.reverseStepOut", "backward", "out"),
    step("borges.entry", "forward", "entry"),
    step("borges.reverseEntry", "backward", "entry"),
    command("borges.runBackToCursor", () => runBackToCursor(sessions)),
    command("borges.jump", (universe?: string) => jumpTo(sessions, universe)),
    command("borges.fork", () => said(sessions, "fork")),
    command("borges.branches", () => branches(sessions)),
    command("borges.copyMoment", () => copyMoment(sessions)),
    command("borges.upload", () => sessions.standing().session.customRequest("borges/upload")),
    sessions.onDidFindFile(() => void offerUpload()),
  );
}

/** The program was built anew: the session can go on with it, and keeps what was seen of the old one. */
async function offerUpload(): Promise<void> {
  const goOn = "Go On with It";
  const chosen = await vscode.window.showInformationMessage("The program's file has changed since it was opened.", goOn);
  if (chosen === goOn) {
    await vscode.commands.executeCommand("borges.upload");
  }
}

/** Carries out a line and shows what it says. */
export async function said(sessions: Sessions, line: string): Promise<void> {
  const { session } = sessions.standing();
  const answer = await say(session, line);
  if (!answer.ok) {
    throw new Error(answer.text.trim());
  }
  vscode.window.setStatusBarMessage(answer.text.trim().split("\n")[0] ?? "", 5_000);
}

async function runBackToCursor(sessions: Sessions): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    throw new Error("put the cursor on a line of the program first");
  }
  const { session } = sessions.standing();
  const file = editor.document.uri.fsPath;
  const line = editor.selection.active.line + 1;
  // The language takes the end of a path: the program may have been built elsewhere.
  const name = file.split(/[\\/]/).at(-1) ?? file;
  const answer = await say(session, `reverse-until ${name}:${line}`);
  if (!answer.ok) {
    throw new Error(answer.text.trim());
  }
}

async function jumpTo(sessions: Sessions, given: string | undefined): Promise<void> {
  const { session, place } = sessions.standing();
  const prompt = "A universe (0.4, 1.2+3), a bookmark, 'start', 'tip', or a moment (m1-…)";
  const universe = given ?? (await vscode.window.showInputBox({ title: "Jump to a universe", prompt, value: place.universe }));
  if (universe !== undefined && universe.trim() !== "") {
    await jump(session, universe.trim());
  }
}

async function branches(sessions: Sessions): Promise<void> {
  sessions.standing();
  const values = await vscode.window.showInputBox({
    title: "Branches for the next input",
    prompt: "Values that it answers, each in a universe of its own: 0..3, 7 or all",
    value: "all",
  });
  if (values !== undefined && values.trim() !== "") {
    await said(sessions, `branches ${values.trim()}`);
  }
}

async function copyMoment(sessions: Sessions): Promise<void> {
  const { session } = sessions.standing();
  const { moment } = (await session.customRequest("borges/here")) as { moment?: string };
  if (moment === undefined) {
    throw new Error("universes of this language have numbers only");
  }
  await vscode.env.clipboard.writeText(moment);
  vscode.window.setStatusBarMessage("The moment is on the clipboard: give it to 'Jump to universe', also elsewhere", 5_000);
}
