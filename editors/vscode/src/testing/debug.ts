// Debugs a path of a test: its inputs are mocked, and the program is shown where it first does something else.
import { basename, dirname, resolve } from "node:path";
import * as vscode from "vscode";
import { ask, jump } from "../ask";
import { TYPE } from "../names";
import type { Sessions } from "../sessions";
import { diverged, mocks, parse, type PathTest } from "./file";

/** How long a session may take to come to its start. */
const START_MS = 60_000;

/** Answers what the program did instead of what is expected; nothing if it did that. */
export async function debugTest(uri: vscode.Uri, name: string, sessions: Sessions): Promise<string | undefined> {
  const file = parse(Buffer.from(await vscode.workspace.fs.readFile(uri)).toString());
  const test = file?.tests.find((test) => test.name === name);
  if (file === undefined || test === undefined) {
    throw new Error(`'${basename(uri.fsPath)}' has no test '${name}' any more`);
  }
  if (test.events !== undefined && test.events.length > 0) {
    throw new Error("this path has interrupts, which arrive at steps: run it, and debug the program by hand");
  }
  const folder = dirname(uri.fsPath);
  const configuration: vscode.DebugConfiguration = {
    type: TYPE,
    request: "launch",
    name: `${basename(uri.fsPath)}: ${name}`,
    program: resolve(folder, file.program),
    stopOnEntry: true,
  };
  if (file.board !== undefined) {
    configuration["board"] = resolve(folder, file.board);
  }
  const standing = stands(sessions, configuration.name);
  const started = await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), configuration);
  return started ? play(await standing, test, sessions) : undefined;
}

/** The session of a name, once it stands at its start. */
function stands(sessions: Sessions, name: string): Promise<vscode.DebugSession> {
  return new Promise((found, failed) => {
    const timer = setTimeout(() => {
      moved.dispose();
      failed(new Error("the program has not come to its start"));
    }, START_MS);
    const moved = sessions.onDidMove((live) => {
      if (live?.place !== undefined && live.session.configuration.name === name) {
        clearTimeout(timer);
        moved.dispose();
        found(live.session);
      }
    });
  });
}

async function play(session: vscode.DebugSession, test: PathTest, sessions: Sessions): Promise<string | undefined> {
  for (const { call, values } of mocks(test)) {
    await ask(session, { command: "mock", call, values: { then: values } }, "done");
  }
  // As many entries as are expected, and the one that would be too much: a program need not end.
  const count = test.expect.reads.length + test.expect.outputs.length + 1;
  const moved = new Promise<void>((resolve) => {
    const listener = sessions.onDidMove((live) => {
      if (live?.session === session && live.place !== undefined) {
        listener.dispose();
        resolve();
      }
    });
  });
  await session.customRequest("borges/step", { direction: "forward", size: "entry", count });
  await moved;
  const { entries } = await ask(session, { command: "entries", branch: 0, from: 0, count, calls: true }, "entries");
  const at = diverged(test, entries);
  if (at === undefined) {
    return undefined;
  }
  await jump(session, `0.${at}`);
  return `parts from what is expected with ${entries[at - 1]?.call}`;
}
