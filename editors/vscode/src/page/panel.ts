// The page itself, beside the source: the drawing of the multiverse, the timeline, the board.
import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import * as vscode from "vscode";
import { command } from "../commands";
import type { Sessions } from "../sessions";
import { Bridge } from "./bridge";
import { fetchPage, type Bundle } from "./bundle";
import type { FromPage } from "./messages";

export function registerPage(context: vscode.ExtensionContext, sessions: Sessions): vscode.Disposable {
  const panels = new Map<string, vscode.WebviewPanel>();
  return vscode.Disposable.from(
    command("borges.showPage", async () => {
      const { session } = sessions.standing();
      const known = panels.get(session.id);
      if (known !== undefined) {
        known.reveal(undefined, true);
        return;
      }
      const panel = await open(context, session);
      panels.set(session.id, panel);
      panel.onDidDispose(() => panels.delete(session.id));
    }),
    command("borges.openPage", async () => {
      const { session } = sessions.standing();
      const page = vscode.Uri.parse(await addressOf(session), true);
      await vscode.env.openExternal(await vscode.env.asExternalUri(page));
    }),
    vscode.debug.onDidTerminateDebugSession((session) => panels.get(session.id)?.dispose()),
  );
}

async function addressOf(session: vscode.DebugSession): Promise<string> {
  const { url } = (await session.customRequest("borges/page")) as { url: string };
  return url;
}

async function open(context: vscode.ExtensionContext, session: vscode.DebugSession): Promise<vscode.WebviewPanel> {
  const address = await addressOf(session);
  const folder = vscode.Uri.joinPath(context.globalStorageUri, "page");
  const bundle = await fetchPage(address, folder.fsPath);
  const own = vscode.Uri.joinPath(context.extensionUri, "dist");
  const program: unknown = session.configuration["program"];
  const title = typeof program === "string" ? basename(program) : session.name;
  const panel = vscode.window.createWebviewPanel(
    "borges.page",
    `Multiverse: ${title}`,
    { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
    { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [folder, own] },
  );
  panel.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "borges.svg");
  const bridge = new Bridge(address, panel.webview);
  panel.webview.onDidReceiveMessage((message: FromPage) => bridge.hear(message));
  panel.onDidDispose(() => bridge.dispose());
  panel.webview.html = html(panel.webview, folder, own, bundle);
  return panel;
}

function html(webview: vscode.Webview, folder: vscode.Uri, own: vscode.Uri, bundle: Bundle): string {
  const nonce = randomBytes(16).toString("base64url");
  const at = (base: vscode.Uri, name: string) => webview.asWebviewUri(vscode.Uri.joinPath(base, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The page places what it draws by styles of elements.
    `style-src ${webview.cspSource} 'unsafe-inline'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data: blob:`,
  ].join("; ");
  const styles = bundle.styles.map((name) => `<link rel="stylesheet" crossorigin href="${at(folder, name)}">`);
  const scripts = bundle.scripts.map((name) => `<script type="module" crossorigin nonce="${nonce}" src="${at(folder, name)}"></script>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>body { padding: 0; }</style>
    ${styles.join("\n    ")}
  </head>
  <body>
    <div id="app"></div>
    <script nonce="${nonce}" src="${at(own, "page.js")}"></script>
    ${scripts.join("\n    ")}
  </body>
</html>
`;
}
