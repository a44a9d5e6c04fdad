// The Testing view: paths that were written as tests, run by 'borges test'.
import { execFile } from "node:child_process";
import { basename } from "node:path";
import * as vscode from "vscode";
import { borges } from "../adapter";
import type { Sessions } from "../sessions";
import { debugTest } from "./debug";
import { coverageOf, detailsOf } from "./coverage";
import { lines, parse } from "./file";

const PATTERN = "**/*.test.json";
/** What a run may say. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What 'borges test --json' answers. */
interface Report {
  file: string;
  tests: { name: string; differences: string[] }[];
}

export function registerTesting(context: vscode.ExtensionContext, sessions: Sessions): vscode.Disposable {
  const controller = vscode.tests.createTestController("borges.paths", "Borges: paths");
  const read = async (uri: vscode.Uri): Promise<void> => {
    const text = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString();
    const file = parse(text);
    if (file === undefined) {
      controller.items.delete(uri.toString());
      return;
    }
    const item = controller.createTestItem(uri.toString(), basename(uri.fsPath), uri);
    const at = lines(text, file);
    const tests = file.tests.map((test, number) => {
      const child = controller.createTestItem(`${uri.toString()}#${number}`, test.name, uri);
      child.range = new vscode.Range(at[number]!, 0, at[number]!, 0);
      child.sortText = String(number).padStart(6, "0");
      return child;
    });
    item.children.replace(tests);
    controller.items.add(item);
  };
  const readAll = async (): Promise<void> => {
    const files = await vscode.workspace.findFiles(PATTERN, "**/node_modules/**");
    await Promise.all(files.map(read));
  };
  controller.resolveHandler = (item) => (item === undefined ? readAll() : undefined);
  controller.refreshHandler = readAll;
  const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
  const { Run, Debug, Coverage } = vscode.TestRunProfileKind;
  const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) => runTests(context, controller, request, token);
  controller.createRunProfile("Run", Run, async (request, token) => (await run(request, token)).end(), true);
  controller.createRunProfile("Debug", Debug, (request) => debugOne(controller, sessions, request), true);
  const coverage = controller.createRunProfile("Run with Coverage", Coverage, async (request, token) => {
    const done = await run(request, token);
    const path = await borges(context);
    for (const file of path === undefined ? [] : filesOf(controller, request)) {
      for (const covered of await coverageOf(path!, file.uri!)) {
        done.addCoverage(covered);
      }
    }
    done.end();
  });
  coverage.loadDetailedCoverage = async (_run, covered) => detailsOf(covered);
  void readAll();
  return vscode.Disposable.from(
    controller,
    watcher,
    watcher.onDidCreate(read),
    watcher.onDidChange(read),
    watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
  );
}

/** The files whose tests are asked for. */
function filesOf(controller: vscode.TestController, request: vscode.TestRunRequest): vscode.TestItem[] {
  const asked = request.include ?? [...controller.items].map(([, item]) => item);
  return [...new Set(asked.map((item) => item.parent ?? item))];
}

async function runTests(
  context: vscode.ExtensionContext,
  controller: vscode.TestController,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
): Promise<vscode.TestRun> {
  const run = controller.createTestRun(request);
  const isAsked = (item: vscode.TestItem) =>
    (request.include?.some((one) => one === item || one === item.parent) ?? true) && !request.exclude?.includes(item);
  const path = await borges(context);
  for (const file of path === undefined ? [] : filesOf(controller, request)) {
    const tests = [...file.children].map(([, item]) => item).filter(isAsked);
    tests.forEach((item) => run.started(item));
    try {
      const [report] = await reported(path!, file.uri!.fsPath, token);
      for (const item of tests) {
        tell(run, item, report?.tests.find(({ name }) => name === item.label)?.differences);
      }
    } catch (error) {
      const message = new vscode.TestMessage(error instanceof Error ? error.message : String(error));
      tests.forEach((item) => run.errored(item, message));
    }
  }
  return run;
}

function tell(run: vscode.TestRun, item: vscode.TestItem, differences: string[] | undefined): void {
  if (differences === undefined) {
    run.skipped(item);
  } else if (differences.length === 0) {
    run.passed(item);
  } else {
    const messages = differences.map((difference) => {
      const message = new vscode.TestMessage(`${difference}\nDebug the test: it opens where it parts from what is expected.`);
      message.location = item.uri && item.range && new vscode.Location(item.uri, item.range);
      return message;
    });
    run.failed(item, messages);
  }
}

/** Runs the tests of a file; one that fails is no error of the run. */
function reported(path: string, file: string, token: vscode.CancellationToken): Promise<Report[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(path, ["--json", "test", file], { maxBuffer: MOST_BYTES }, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Report[]);
      } catch {
        reject(new Error(stderr.trim() || error?.message || "borges said nothing"));
      }
    });
    token.onCancellationRequested(() => child.kill());
  });
}

async function debugOne(controller: vscode.TestController, sessions: Sessions, request: vscode.TestRunRequest): Promise<void> {
  const item = request.include?.[0] ?? [...controller.items][0]?.[1];
  const test = item?.parent === undefined ? [...(item?.children ?? [])][0]?.[1] : item;
  const run = controller.createTestRun(request);
  try {
    if (test?.uri === undefined) {
      throw new Error("choose a test to debug");
    }
    run.started(test);
    const difference = await debugTest(test.uri, test.label, sessions);
    tell(run, test, difference === undefined ? [] : [difference]);
  } catch (error) {
    void vscode.window.showErrorMessage(`Borges: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    run.end();
  }
}
