// Where the program stands, at the bottom of the window.
import * as vscode from "vscode";
import { MULTIVERSE } from "./names";
import type { Live, Sessions } from "./sessions";
import { count } from "./words";

export function registerStatus(sessions: Sessions): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("borges.place", vscode.StatusBarAlignment.Left, 10);
  item.name = "Borges: universe";
  item.command = `${MULTIVERSE}.focus`;
  const show = (live: Live | undefined): void => {
    if (live === undefined) {
      item.hide();
      return;
    }
    const { text, tooltip } = words(live);
    item.text = text;
    item.tooltip = tooltip;
    item.show();
  };
  return vscode.Disposable.from(item, sessions.onDidMove(show));
}

function words({ place }: Live): { text: string; tooltip: string } {
  if (place === undefined) {
    return { text: "$(sync~spin) running", tooltip: "The program runs: pause it to look at it" };
  }
  const parts = [`universe ${place.universe}`];
  if (place.steps !== undefined) {
    parts.push(`step ${place.steps}`);
  }
  // Of most universes of a model there is nothing to say: they are on the way to others.
  if (place.status !== undefined && place.status !== "running") {
    parts.push(place.status);
  }
  const more: string[] = [];
  if (place.futures !== undefined && place.futures > 0) {
    more.push(`${count(place.futures, "recorded universe")} goes on from here`.replace("universes goes", "universes go"));
  }
  if (place.call != null) {
    more.push(`next: ${place.call}`);
  }
  if (place.deviceElsewhere === true) {
    more.push("the device stands elsewhere: continue, and it follows");
  }
  return { text: `$(git-branch) ${parts.join(" · ")}`, tooltip: ["Where the program stands", ...more].join("\n") };
}
