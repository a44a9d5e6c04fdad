// Values in the source: behind the lines that were executed, and under the mouse.
import * as vscode from "vscode";
import { TYPE } from "./names";
import type { Sessions } from "./sessions";
import { names } from "./words";

/** Lines before the one shown whose values are told: further up it is another function's. */
const MOST_LINES = 40;

interface Variable {
  name: string;
  value: string;
  variablesReference: number;
}

const SELECTOR: vscode.DocumentSelector = { scheme: "file" };

const inline: vscode.InlineValuesProvider = {
  async provideInlineValues(document, viewPort, context) {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== TYPE) {
      return [];
    }
    const variables = await visible(session, context.frameId);
    const last = context.stoppedLocation.end.line;
    const first = Math.max(viewPort.start.line, last - MOST_LINES);
    const values: vscode.InlineValue[] = [];
    for (let line = first; line <= last; line++) {
      for (const [column, name] of names(document.lineAt(line).text)) {
        const value = variables.get(name);
        if (value !== undefined) {
          const range = new vscode.Range(line, column, line, column + name.length);
          values.push(new vscode.InlineValueText(range, `${name} = ${value}`));
        }
      }
    }
    return values;
  },
};

/** Variables of a frame that are no structures, by their names; locals hide globals. Constants tell nobody anything. */
async function visible(session: vscode.DebugSession, frameId: number): Promise<Map<string, string>> {
  const { scopes } = (await session.customRequest("scopes", { frameId })) as { scopes: Variable[] };
  const values = new Map<string, string>();
  for (const name of ["Globals", "Locals", "Variables"]) {
    const scope = scopes.find((scope) => scope.name === name);
    if (scope !== undefined) {
      const asked = { variablesReference: scope.variablesReference };
      const { variables } = (await session.customRequest("variables", asked)) as { variables: Variable[] };
      const plain = variables.filter((one) => one.variablesReference === 0 && !/^[A-Z][A-Z0-9_]*$/.test(one.name));
      plain.forEach((one) => values.set(one.name, one.value));
    }
  }
  return values;
}

/** Under the mouse: a name with the fields and elements before it, 'record.names[2]'. */
const evaluatable: vscode.EvaluatableExpressionProvider = {
  provideEvaluatableExpression(document, position) {
    const range = document.getWordRangeAtPosition(position, /[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\w+\])*/);
    if (range === undefined) {
      return undefined;
    }
    // Up to the end of the name that is pointed at: in 'a.b.c' the mouse on b asks for 'a.b'.
    const text = document.getText(range);
    const after = text.slice(position.character - range.start.character).search(/[^\w]/);
    const end = after < 0 ? range.end : position.translate(0, after);
    const whole = new vscode.Range(range.start, end);
    return new vscode.EvaluatableExpression(whole, document.getText(whole).replaceAll("->", "."));
  },
};

/** Only while something is debugged: for other debuggers the editor would ask here, and show nothing. */
export function registerValues(sessions: Sessions): vscode.Disposable {
  let registered: vscode.Disposable | undefined;
  const forget = (): void => {
    registered?.dispose();
    registered = undefined;
  };
  const moved = sessions.onDidMove((live) => {
    if (live === undefined) {
      forget();
    } else {
      registered ??= vscode.Disposable.from(
        vscode.languages.registerInlineValuesProvider(SELECTOR, inline),
        vscode.languages.registerEvaluatableExpressionProvider(SELECTOR, evaluatable),
      );
    }
  });
  return vscode.Disposable.from(moved, { dispose: forget });
}
