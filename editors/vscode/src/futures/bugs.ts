// Traps and failed assertions ahead, as problems at their lines: each with inputs that lead there, and a way to go there.
import * as vscode from "vscode";
import type { FoundPath } from "../../../../ui/src/wire/types";
import { jump, suggest } from "../ask";
import { command } from "../commands";
import type { Sessions } from "../sessions";
import { count, inputs } from "../words";
import type { Ahead, Futures } from "./ahead";
import { Files, parsePlace } from "./files";
import { filesOf } from "./sources";

const SOURCE = "borges";
const NOTHING = { files: new Files([]), traps: [] };

/** A problem, and the moment at which it is. */
class Bug extends vscode.Diagnostic {
  constructor(
    line: number,
    readonly path: FoundPath,
  ) {
    const needs = path.inputs.length === 0 ? "whatever is read" : `with ${inputs(path.inputs)}`;
    const range = new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
    super(range, `${path.reason ?? path.kind}: ${needs}`, vscode.DiagnosticSeverity.Warning);
    this.source = SOURCE;
  }
}

export function registerBugs(sessions: Sessions, futures: Futures): vscode.Disposable {
  const problems = vscode.languages.createDiagnosticCollection(SOURCE);
  let known = new Map<string, Bug[]>();
  const show = ({ files, traps }: Pick<Ahead, "files" | "traps">): number => {
    problems.clear();
    const found = new Map<string, Bug[]>();
    for (const trap of traps) {
      const place = parsePlace(trap.place ?? "");
      const path = place && files.path(place.file);
      if (place !== undefined && path !== undefined) {
        found.set(path, [...(found.get(path) ?? []), new Bug(place.line, trap)]);
      }
    }
    known = found;
    found.forEach((bugs, path) => problems.set(vscode.Uri.file(path), bugs));
    return traps.length;
  };
  const actions: vscode.CodeActionProvider = {
    provideCodeActions: ({ uri }, range) =>
      (known.get(uri.fsPath) ?? []).filter((bug) => bug.range.intersection(range) !== undefined).map(goThere),
  };
  return vscode.Disposable.from(
    problems,
    futures.onDidLook((ahead) => show(ahead ?? NOTHING)),
    vscode.languages.registerCodeActionsProvider({ scheme: "file" }, actions),
    command("borges.goToBug", (moment: string) => jump(sessions.standing().session, moment)),
    command("borges.findBugs", async () => {
      const { session } = sessions.standing();
      const options = { location: vscode.ProgressLocation.Notification, title: "Looking for traps ahead…" };
      const told = await vscode.window.withProgress(options, () => suggest(session, { ask: "bugs" }, {}));
      const number = show({ files: await filesOf(session), traps: told.found });
      const where = number === 0 ? "No trap was found" : `${count(number, "trap")} found: see Problems`;
      const extent = told.complete ? "" : ", and not everything was looked at";
      void vscode.window.showInformationMessage(`${where}${extent}.`);
    }),
  );
}

function goThere(bug: Bug): vscode.CodeAction {
  const action = new vscode.CodeAction("Go there: the moment at which it happens", vscode.CodeActionKind.QuickFix);
  action.diagnostics = [bug];
  action.isPreferred = true;
  action.command = { command: "borges.goToBug", title: action.title, arguments: [bug.path.moment] };
  return action;
}
