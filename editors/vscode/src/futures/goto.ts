// The universes at a line, recorded and still to come, to go to one of them.
import * as vscode from "vscode";
import { command } from "../commands";
import type { Sessions } from "../sessions";

interface Target {
  id: number;
  label: string;
}

export function registerGoto(sessions: Sessions): vscode.Disposable {
  return command("borges.universesAtLine", async (path?: string, line?: number) => {
    const { session } = sessions.standing();
    const editor = vscode.window.activeTextEditor;
    const at = typeof path === "string" && line !== undefined ? { path, line } : editor && cursor(editor);
    if (at === undefined) {
      throw new Error("put the cursor on a line of the program first");
    }
    const asked = { source: { path: at.path }, line: at.line };
    const { targets } = (await session.customRequest("gotoTargets", asked)) as { targets: Target[] };
    if (targets.length === 0) {
      void vscode.window.showInformationMessage(`No universe at line ${at.line}: neither recorded nor within a few inputs.`);
      return;
    }
    const items = targets.map(({ id, label }) => ({ label, id }));
    const chosen = await vscode.window.showQuickPick(items, { title: `Universes at line ${at.line}` });
    if (chosen !== undefined) {
      await session.customRequest("goto", { threadId: 1, targetId: chosen.id });
    }
  });
}

function cursor({ document, selection }: vscode.TextEditor): { path: string; line: number } {
  return { path: document.uri.fsPath, line: selection.active.line + 1 };
}
