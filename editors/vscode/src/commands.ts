// Commands: each is carried out, and what goes wrong is shown.
import * as vscode from "vscode";

/** Registers a command whose errors are told in words. */
export function command(name: string, run: (...given: never[]) => Promise<unknown> | unknown): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (...given: unknown[]) => {
    try {
      return await run(...(given as never[]));
    } catch (error) {
      void vscode.window.showErrorMessage(`Borges: ${words(error)}`);
      return undefined;
    }
  });
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
