// What F5 debugs: without a launch file, the program that the file shown belongs to.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import * as vscode from "vscode";
import { TYPE } from "./names";
import { isClear, isProgram, isSource, modulesOf } from "./programs";

/** Modules of a workspace that are looked at for a source. */
const MOST_MODULES = 200;
const NOT_THESE = "**/{node_modules,.git}/**";

/** The file that is shown, in whatever editor. */
export function fileShown(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const shown = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? input.uri : undefined;
  const uri = shown ?? vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === "file" ? uri : undefined;
}

/** The programs that a file belongs to, the likeliest first. */
export async function programsOf(file: vscode.Uri): Promise<string[]> {
  if (isProgram(file.fsPath)) {
    return [file.fsPath];
  }
  if (!isSource(file.fsPath)) {
    return [];
  }
  const beside = vscode.Uri.joinPath(file, "..");
  const all = await Promise.all([
    vscode.workspace.findFiles(new vscode.RelativePattern(beside, "*.wasm"), null, MOST_MODULES),
    vscode.workspace.findFiles("**/*.wasm", NOT_THESE, MOST_MODULES),
  ]);
  const paths = new Set(all.flat().map((uri) => uri.fsPath));
  return modulesOf(file.fsPath, [...paths], (path) => {
    try {
      return readFileSync(path);
    } catch {
      return undefined;
    }
  });
}

/** The program that a file belongs to; where it is not clear, the user says. */
async function programOf(file: vscode.Uri): Promise<string | undefined> {
  const programs = await programsOf(file);
  const first = programs[0];
  if (first === undefined || programs.length === 1 || isClear(file.fsPath, first)) {
    return first;
  }
  const items = programs.map((path) => ({ label: basename(path), description: vscode.workspace.asRelativePath(path), path }));
  const title = `Which program is ${basename(file.fsPath)} debugged in?`;
  return (await vscode.window.showQuickPick(items, { title }))?.path;
}

function launchOf(program: string): vscode.DebugConfiguration {
  return { type: TYPE, request: "launch", name: basename(program), program };
}

/** Debugs the program that a file belongs to: the one that is shown, if none is named. */
export async function debugFile(file: vscode.Uri | undefined, more: object = {}): Promise<void> {
  const uri = file ?? fileShown();
  const program = uri && (await programOf(uri));
  if (program === undefined) {
    const what = uri === undefined ? "Open a program" : `No module beside '${basename(uri.fsPath)}' names it`;
    throw new Error(`${what}: Borges debugs .wasm modules with their sources, and .at, .oz and .amb files`);
  }
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program));
  await vscode.debug.startDebugging(folder, { ...launchOf(program), ...more });
}

const configurations: vscode.DebugConfigurationProvider = {
  async resolveDebugConfiguration(folder, configuration) {
    // Without a launch file everything is left out.
    const isEmpty = configuration.type === undefined && configuration.request === undefined;
    const full = isEmpty ? { ...configuration, type: TYPE, request: "launch", name: "Borges" } : configuration;
    if (full["request"] === "launch" && full["program"] === undefined) {
      const shown = fileShown();
      const program = shown && (await programOf(shown));
      if (program === undefined) {
        throw new Error("the file shown belongs to no program: open a .wasm module, its source, or a .at, .oz or .amb file");
      }
      full["program"] = program;
    }
    full["cwd"] ??= folder?.uri.fsPath;
    return full;
  },
};

const offered: vscode.DebugConfigurationProvider = {
  async provideDebugConfigurations(folder) {
    const pattern = "**/*.{wasm,at,oz,amb}";
    const where = folder === undefined ? pattern : new vscode.RelativePattern(folder, pattern);
    const found = await vscode.workspace.findFiles(where, NOT_THESE, MOST_MODULES);
    return found.map((uri) => ({ ...launchOf(uri.fsPath), name: vscode.workspace.asRelativePath(uri) }));
  },
};

/** Tells the keys whether F5 debugs the file shown: it does, unless a launch file says what F5 is. */
async function tellKeys(): Promise<void> {
  const file = fileShown();
  const launches = vscode.workspace.getConfiguration("launch", file ?? null).get<unknown[]>("configurations", []);
  const isOurs = file !== undefined && (await programsOf(file)).length > 0;
  await vscode.commands.executeCommand("setContext", "borges.isF5", isOurs && launches.length === 0);
  await vscode.commands.executeCommand("setContext", "borges.isProgram", isOurs);
}

export function registerLaunch(): vscode.Disposable {
  const { debug, window, workspace, DebugConfigurationProviderTriggerKind } = vscode;
  void tellKeys();
  return vscode.Disposable.from(
    debug.registerDebugConfigurationProvider(TYPE, configurations),
    debug.registerDebugConfigurationProvider(TYPE, offered, DebugConfigurationProviderTriggerKind.Dynamic),
    window.tabGroups.onDidChangeTabs(() => void tellKeys()),
    window.tabGroups.onDidChangeTabGroups(() => void tellKeys()),
    workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("launch") && void tellKeys()),
  );
}
