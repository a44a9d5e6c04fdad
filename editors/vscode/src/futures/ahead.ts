// What can still happen from where the program stands: looked at in the background after every stop, for a short time.
import * as vscode from "vscode";
import type { CoveredLine, FoundPath } from "../../../../ui/src/wire/types";
import { suggest } from "../ask";
import type { Live, Sessions } from "../sessions";
import type { Files } from "./files";
import { filesOf } from "./sources";

/** Who steps quickly is not kept waiting by what nobody reads meanwhile. */
const QUIET_MS = 250;

export interface Ahead {
  session: vscode.DebugSession;
  files: Files;
  /** Lines of the program, and inputs that lead there. */
  lines: CoveredLine[];
  traps: FoundPath[];
  /** How many inputs ahead was looked. */
  inputs: number;
}

export class Futures implements vscode.Disposable {
  private readonly looked = new vscode.EventEmitter<Ahead | undefined>();
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private turn = 0;
  /** The last that is known: while the program moves, that of the stop before. */
  known: Ahead | undefined;
  readonly onDidLook = this.looked.event;

  constructor(private readonly sessions: Sessions) {
    this.subscriptions = [
      sessions.onDidMove((live) => this.plan(live)),
      sessions.onDidChange((live) => this.plan(live)),
      this.looked,
    ];
  }

  private plan(live: Live | undefined): void {
    clearTimeout(this.timer);
    const turn = ++this.turn;
    if (live === undefined) {
      this.tell(undefined);
    } else if (live.place !== undefined && live.place.status === undefined) {
      this.timer = setTimeout(() => void this.look(live, turn), QUIET_MS);
    }
  }

  private async look(live: Live, turn: number): Promise<void> {
    const settings = vscode.workspace.getConfiguration("borges.lookAhead");
    const time_ms = settings.get<number>("milliseconds", 300);
    const inputs = settings.get<number>("inputs", 3);
    const isWanted = () => turn === this.turn && live.place !== undefined && this.sessions.active === live;
    if (time_ms <= 0 || !isWanted()) {
      return;
    }
    const { session } = live;
    try {
      const cover = await suggest(session, { ask: "cover" }, { inputs, time_ms });
      const bugs = isWanted() ? await suggest(session, { ask: "bugs" }, { inputs, time_ms }) : undefined;
      const files = await filesOf(session);
      if (isWanted() && bugs !== undefined) {
        this.tell({ session, files, lines: cover.cover?.lines ?? [], traps: bugs.found, inputs });
      }
    } catch {
      // From here nothing can be looked for: the program has ended, or the session has.
      if (turn === this.turn) {
        this.tell(undefined);
      }
    }
  }

  private tell(ahead: Ahead | undefined): void {
    this.known = ahead;
    this.looked.fire(ahead);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((one) => one.dispose());
  }
}
