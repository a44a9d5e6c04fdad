// Coverage by all paths: lines that inputs lead to, and those that none does.
import { execFile } from "node:child_process";
import { dirname, resolve } from "node:path";
import * as vscode from "vscode";
import type { CoveredLine, SuggestionListing } from "../../../../ui/src/wire/types";
import { Files } from "../futures/files";
import { parse } from "./file";

const MOST_BYTES = 64 * 1024 * 1024;
const NOT_THESE = "**/node_modules/**";
const MOST_FILES = 2_000;

class Covered extends vscode.FileCoverage {
  constructor(
    uri: vscode.Uri,
    readonly lines: CoveredLine[],
  ) {
    super(uri, new vscode.TestCoverageCount(lines.filter(isReached).length, lines.length));
  }
}

function isReached(line: CoveredLine): boolean {
  return line.inputs != null;
}

/** What the paths of a test file's program cover, file by file. */
export async function coverageOf(borges: string, uri: vscode.Uri): Promise<vscode.FileCoverage[]> {
  const file = parse(Buffer.from(await vscode.workspace.fs.readFile(uri)).toString());
  if (file === undefined) {
    return [];
  }
  // As far as the tests go: further ahead would be other paths than theirs.
  const inputs = Math.max(1, ...file.tests.map((test) => test.inputs.length));
  const listing = await cover(borges, resolve(dirname(uri.fsPath), file.program), inputs);
  const byFile = new Map<string, CoveredLine[]>();
  for (const line of listing.cover?.lines ?? []) {
    byFile.set(line.file, [...(byFile.get(line.file) ?? []), line]);
  }
  const known = await vscode.workspace.findFiles("**/*.{ts,c,h,cc,cpp,rs,zig,wat}", NOT_THESE, MOST_FILES);
  const files = new Files(known.map(({ fsPath }) => ({ path: fsPath })));
  return [...byFile].flatMap(([name, lines]) => {
    const path = files.path(name);
    return path === undefined ? [] : [new Covered(vscode.Uri.file(path), lines)];
  });
}

export function detailsOf(coverage: vscode.FileCoverage): vscode.FileCoverageDetail[] {
  const lines = coverage instanceof Covered ? coverage.lines : [];
  return lines.map((line) => new vscode.StatementCoverage(isReached(line), new vscode.Position(line.line - 1, 0)));
}

function cover(borges: string, program: string, inputs: number): Promise<SuggestionListing> {
  return new Promise((found, failed) => {
    const given = ["--json", "cover", program, "--max-inputs", String(inputs)];
    execFile(borges, given, { maxBuffer: MOST_BYTES }, (error, stdout, stderr) => {
      try {
        found(JSON.parse(stdout) as SuggestionListing);
      } catch {
        failed(new Error(stderr.trim() || error?.message || "borges said nothing"));
      }
    });
  });
}
