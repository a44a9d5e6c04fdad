// Above lines to which not every path leads: how many universes come there, and with which inputs.
import * as vscode from "vscode";
import type { CoveredLine } from "../../../../ui/src/wire/types";
import { suggest } from "../ask";
import { count, ways } from "../words";
import type { Ahead, Futures } from "./ahead";
import { heads } from "./heads";

/** Ways that are told in a lens. */
const MOST_WAYS = 3;
/** For how long the ways to one line are looked for. */
const LOOK_MS = 300;

class Lens extends vscode.CodeLens {
  constructor(
    line: number,
    readonly of: CoveredLine,
    readonly ahead: Ahead,
    readonly path: string,
  ) {
    super(new vscode.Range(line - 1, 0, line - 1, 0));
  }
}

class Provider implements vscode.CodeLensProvider<Lens> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;

  constructor(private readonly futures: Futures) {
    futures.onDidLook(() => this.changes.fire());
  }

  provideCodeLenses(document: vscode.TextDocument): Lens[] {
    const ahead = this.futures.known;
    if (ahead === undefined) {
      return [];
    }
    const path = document.uri.fsPath;
    const own = ahead.lines.filter((line) => ahead.files.path(line.file) === path);
    return heads(own).map((line) => new Lens(line.line, line, ahead, path));
  }

  async resolveCodeLens(lens: Lens): Promise<Lens> {
    lens.command = {
      title: await title(lens.of, lens.ahead),
      command: "borges.universesAtLine",
      arguments: [lens.path, lens.of.line],
    };
    return lens;
  }
}

async function title({ file, line, inputs }: CoveredLine, { session, inputs: ahead }: Ahead): Promise<string> {
  const nothing = `no path comes here within ${count(ahead, "input")}`;
  if (inputs == null) {
    return nothing;
  }
  try {
    const target = { is: "place" as const, place: { line: { file, line } } };
    const found = await suggest(session, { ask: "reach", target }, { inputs: ahead, time_ms: LOOK_MS });
    const all = ways(found);
    if (all.length === 0) {
      return nothing;
    }
    const shown = all.slice(0, MOST_WAYS).join(" | ");
    const more = all.length > MOST_WAYS ? " | …" : "";
    const comes = all.length === 1 ? "comes" : "come";
    return `${count(all.length, "universe")} ${comes} here: ${shown}${more}`;
  } catch {
    // The program has moved on: the lenses of its next stop come soon.
    return "universes that come here";
  }
}

export function registerLenses(futures: Futures): vscode.Disposable {
  return vscode.languages.registerCodeLensProvider({ scheme: "file" }, new Provider(futures));
}
