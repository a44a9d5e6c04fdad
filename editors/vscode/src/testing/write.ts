// Writes the paths of a program as tests.
import { execFile } from "node:child_process";
import { basename, dirname, extname, join } from "node:path";
import * as vscode from "vscode";
import { borges } from "../adapter";
import { command } from "../commands";
import { fileShown, programsOf } from "../launch";

export function registerWriting(context: vscode.ExtensionContext): vscode.Disposable {
  return command("borges.writeTests", async (given?: vscode.Uri) => {
    const file = given ?? fileShown();
    const program = file && (await programsOf(file))[0];
    if (program === undefined || extname(program) !== ".wasm") {
      throw new Error("open a .wasm module or its source: its paths are written as tests beside it");
    }
    const path = await borges(context);
    const inputs = await vscode.window.showInputBox({
      title: `Tests for every path of ${basename(program)}`,
      prompt: "The most inputs on a path",
      value: "3",
      validateInput: (text) => (/^[1-9]\d{0,2}$/.test(text) ? undefined : "a number from 1 to 999"),
    });
    if (path === undefined || inputs === undefined) {
      return;
    }
    const tests = join(dirname(program), `${basename(program, ".wasm")}.test.json`);
    const options = { location: vscode.ProgressLocation.Notification, title: "Looking for paths…" };
    await vscode.window.withProgress(options, () => write(path, program, inputs, tests));
    await vscode.commands.executeCommand("workbench.view.testing.focus");
  });
}

function write(borges: string, program: string, inputs: string, tests: string): Promise<void> {
  const given = ["--quiet", "paths", program, "--max-inputs", inputs, "--write-test", tests];
  return new Promise((done, failed) => {
    execFile(borges, given, (error, _, stderr) => (error ? failed(new Error(stderr.trim() || error.message)) : done()));
  });
}
