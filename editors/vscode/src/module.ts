// What is in a module, where the editor would only say that it is binary: from here F5 debugs it.
import { execFile } from "node:child_process";
import { basename } from "node:path";
import * as vscode from "vscode";
import { borges } from "./adapter";
import { MODULE } from "./names";

const MOST_BYTES = 16 * 1024 * 1024;

export function registerModules(context: vscode.ExtensionContext): vscode.Disposable {
  const provider: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => {} }),
    async resolveCustomEditor({ uri }, panel) {
      const path = await borges(context);
      const text = path === undefined ? "There is no debugger." : await inspected(path, uri.fsPath);
      panel.webview.html = html(basename(uri.fsPath), text);
    },
  };
  return vscode.window.registerCustomEditorProvider(MODULE, provider);
}

function inspected(borges: string, module: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(borges, ["--color", "never", "inspect", module], { maxBuffer: MOST_BYTES }, (error, stdout, stderr) =>
      resolve(stdout || stderr || (error?.message ?? "")),
    );
  });
}

/** Names in a module are anybody's: they are text, and nothing in this page runs or is fetched. */
function html(name: string, text: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <style>
      body { padding: 1em 2em; }
      pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); line-height: 1.5; }
    </style>
  </head>
  <body>
    <h2>${escaped(name)}</h2>
    <p>Press <kbd>F5</kbd> to debug it.</p>
    <pre>${escaped(text)}</pre>
  </body>
</html>
`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);
}
