// Starts the debugger for a session.
import * as vscode from "vscode";
import { findBorges, type Places } from "./binary";
import { TYPE } from "./names";

/** What may name a debugger. */
export function places(context: vscode.ExtensionContext): Places {
  const setting = vscode.workspace.getConfiguration("borges").get<string>("path", "");
  return { setting, extension: context.extensionPath, path: process.env["PATH"] ?? "" };
}

/** The debugger's path, or nothing after the user was told what to do. */
export async function borges(context: vscode.ExtensionContext): Promise<string | undefined> {
  const asked = places(context);
  const { setting } = asked;
  const found = findBorges(asked);
  if (found !== undefined) {
    return found;
  }
  const why =
    setting === ""
      ? "The debugger 'borges' is neither in this extension nor on the path."
      : `There is no debugger at '${setting}', which the setting 'borges.path' names.`;
  const settings = "Set its path";
  const install = "How to install it";
  const chosen = await vscode.window.showErrorMessage(why, settings, install);
  if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "borges.path");
  } else if (chosen === install) {
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`);
  }
  return undefined;
}

/** Sessions are served by 'borges dap', over its standard input and output. */
export function registerAdapter(context: vscode.ExtensionContext): vscode.Disposable {
  return vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
    async createDebugAdapterDescriptor() {
      const path = await borges(context);
      return path === undefined ? undefined : new vscode.DebugAdapterExecutable(path, ["dap"]);
    },
  });
}
