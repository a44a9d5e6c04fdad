// The sessions of Borges, and where the one that is looked at stands.
import * as vscode from "vscode";
import { TYPE } from "./names";

/** Where a program stands, as the event 'borges/place' tells it. */
export interface Place {
  universe: string;
  /** Of programs of devices and of WASI only. */
  steps?: number;
  futures?: number;
  call?: string | null;
  deviceElsewhere?: boolean;
  /** Of model languages only. */
  status?: string;
}

/** A session and where it stands; without a place it runs, or has not begun. */
export interface Live {
  session: vscode.DebugSession;
  place: Place | undefined;
}

interface Message {
  type: string;
  event?: string;
  command?: string;
  success?: boolean;
  body?: Record<string, unknown>;
}

/** Requests after whose answers a program moves. */
const MOTIONS = [
  "continue",
  "reverseContinue",
  "next",
  "stepIn",
  "stepOut",
  "stepBack",
  "goto",
  "restart",
  "restartFrame",
  "borges/step",
  "borges/jump",
];

/** Steps are shorter than this: only of what takes longer it is told that the program runs. */
const STEP_MS = 300;

export class Sessions implements vscode.Disposable {
  private readonly live = new Map<string, Live>();
  private readonly moved = new vscode.EventEmitter<Live | undefined>();
  private readonly changed = new vscode.EventEmitter<Live>();
  private readonly built = new vscode.EventEmitter<Live>();
  private readonly subscriptions: vscode.Disposable[];

  /** The session that is looked at has stopped, goes on, or is another one; or there is none any more. */
  readonly onDidMove = this.moved.event;
  /** Something was changed that moves nothing: an input was mocked. */
  readonly onDidChange = this.changed.event;
  /** The program's file is another than the one that is debugged. */
  readonly onDidFindFile = this.built.event;

  constructor() {
    this.subscriptions = [
      vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
        createDebugAdapterTracker: (session) => ({
          onDidSendMessage: (message: Message) => this.hear(session, message),
        }),
      }),
      vscode.debug.onDidTerminateDebugSession((session) => {
        if (this.live.delete(session.id)) {
          this.moved.fire(this.active);
        }
      }),
      vscode.debug.onDidChangeActiveDebugSession(() => this.moved.fire(this.active)),
      this.moved,
      this.changed,
      this.built,
    ];
  }

  /** The session that is looked at, if it is one of Borges. */
  get active(): Live | undefined {
    const session = vscode.debug.activeDebugSession;
    return session && this.live.get(session.id);
  }

  /** The session that is looked at, where it stands still; whoever asks without one is told so. */
  standing(): { session: vscode.DebugSession; place: Place } {
    const { session, place } = this.active ?? {};
    if (session === undefined) {
      throw new Error("nothing is being debugged with Borges: press F5 on a program first");
    }
    if (place === undefined) {
      throw new Error("the program runs: pause it first");
    }
    return { session, place };
  }

  private hear(session: vscode.DebugSession, message: Message): void {
    const live = this.live.get(session.id) ?? { session, place: undefined };
    this.live.set(session.id, live);
    if (message.type === "response" && message.success === true && MOTIONS.includes(message.command ?? "")) {
      this.leave(live);
    }
    if (message.type !== "event") {
      return;
    }
    const isLookedAt = () => vscode.debug.activeDebugSession?.id === session.id;
    switch (message.event) {
      case "borges/place":
        // It comes before 'stopped', of which the editor has to hear first.
        live.place = message.body as unknown as Place;
        break;
      case "stopped":
        if (isLookedAt()) {
          this.moved.fire(live);
        }
        break;
      case "continued":
        this.leave(live);
        break;
      case "invalidated":
        this.changed.fire(live);
        break;
      case "borges/file":
        if (message.body?.["changed"] === true) {
          this.built.fire(live);
        }
        break;
    }
  }

  private leave(live: Live): void {
    live.place = undefined;
    setTimeout(() => {
      if (live.place === undefined && this.active === live) {
        this.moved.fire(live);
      }
    }, STEP_MS);
  }

  dispose(): void {
    this.subscriptions.forEach((one) => one.dispose());
  }
}
