// What VS Code starts: every part registers itself.
import type { ExtensionContext, Uri } from "vscode";
import { registerAdapter } from "./adapter";
import { command } from "./commands";
import { Futures } from "./futures/ahead";
import { registerBugs } from "./futures/bugs";
import { registerGoto } from "./futures/goto";
import { registerLenses } from "./futures/lenses";
import { debugFile, registerLaunch } from "./launch";
import { registerLanguage } from "./language";
import { registerModules } from "./module";
import { registerMotions } from "./motions";
import { registerMultiverse } from "./multiverse/view";
import { registerPage } from "./page/panel";
import { Sessions } from "./sessions";
import { registerStatus } from "./status";
import { registerTesting } from "./testing/controller";
import { registerWriting } from "./testing/write";
import { registerValues } from "./values";
import { registerWho } from "./who";

export function activate(context: ExtensionContext): void {
  const sessions = new Sessions();
  const futures = new Futures(sessions);
  context.subscriptions.push(
    sessions,
    futures,
    registerAdapter(context),
    registerLaunch(),
    registerLanguage(context),
    command("borges.debugFile", (file?: Uri) => debugFile(file)),
    registerModules(context),
    registerMotions(sessions),
    registerMultiverse(sessions, context.workspaceState),
    registerStatus(sessions),
    registerValues(sessions),
    registerWho(sessions),
    registerLenses(futures),
    registerBugs(sessions, futures),
    registerGoto(sessions),
    registerPage(context, sessions),
    registerTesting(context, sessions),
    registerWriting(context),
  );
}
