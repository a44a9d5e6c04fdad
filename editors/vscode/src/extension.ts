// What VS Code starts: every part registers itself.
import type { ExtensionContext, Uri } from "vscode";
import { registerAdapter } from "./adapter";
import { command } from "./commands";
import { debugFile, registerLaunch } from "./launch";
import { registerMotions } from "./motions";
import { registerMultiverse } from "./multiverse/view";
import { registerPage } from "./page/panel";
import { Sessions } from "./sessions";
import { registerStatus } from "./status";

export function activate(context: ExtensionContext): void {
  const sessions = new Sessions();
  context.subscriptions.push(
    sessions,
    registerAdapter(context),
    registerLaunch(),
    command("borges.debugFile", (file?: Uri) => debugFile(file)),
    registerMotions(sessions),
    registerMultiverse(sessions, context.workspaceState),
    registerStatus(sessions),
    registerPage(context, sessions),
  );
}
