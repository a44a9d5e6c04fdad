// The one socket: questions with answers, patches in order, and coming back after the server was lost.
import type { ModelCommand, ModelReply } from "../model/types";
import { isPatch, readFrame, type EntriesFrame, type Patch, type StatesFrame } from "./frames";
import {
  VERSION,
  type Ask,
  type Command,
  type Event,
  type Part,
  type Question,
  type Reply,
  type Tell,
  type Within,
} from "./types";

export type Status = "connecting" | "live" | "lost";

export interface Listener {
  status(status: Status): void;
  parts(parts: Part[]): void;
  patch(frame: Patch): void;
  event(event: Event): void;
}

/** A command that the session refused, in the session's words. */
export class Refused extends Error {}

type Answer = Reply | ModelReply | EntriesFrame | StatesFrame;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 3000;

export class Socket {
  private socket: WebSocket | null = null;
  private number: number | null = null;
  private next = 1;
  private retry = FIRST_RETRY_MS;
  private readonly waiting = new Map<number, Waiting>();

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
  ) {
    this.connect();
  }

  /** Has the session carry out a command. */
  command(command: Command): Promise<Reply>;
  command(command: ModelCommand): Promise<ModelReply | StatesFrame>;
  command(command: Command | ModelCommand): Promise<Answer> {
    return this.question((id) => ({ ask: "command", id, command }));
  }

  /** Entries of a branch. */
  entries(branch: number, from: number, count: number, calls: boolean): Promise<EntriesFrame> {
    const ask = (id: number): Ask => ({ ask: "entries", id, branch, from, count, calls });
    return this.question(ask) as Promise<EntriesFrame>;
  }

  /** Opens another program or session. */
  open(path: string): Promise<Reply> {
    return this.question((id) => ({ ask: "open", id, path })) as Promise<Reply>;
  }

  /** Begins to answer a question about futures. */
  suggest(question: Question, within: Within, quiet = false): Promise<Reply> {
    return this.question((id) => ({ ask: "suggest", id, question, within, quiet })) as Promise<Reply>;
  }

  tell(ask: Ask): void {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(ask));
    }
  }

  private question(make: (id: number) => Ask): Promise<Answer> {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("the server is not there"));
    }
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify(make(id)));
    });
  }

  private connect(): void {
    this.listener.status(this.number === null ? "connecting" : "lost");
    const early = takeEarly();
    const socket = early?.socket ?? new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    const hear = (message: MessageEvent<string | ArrayBuffer>): void => {
      if (typeof message.data === "string") {
        this.receive(JSON.parse(message.data) as Tell);
      } else {
        this.receiveFrame(message.data);
      }
    };
    socket.onmessage = hear;
    queueMicrotask(() => early?.heard.forEach(hear));
    socket.onclose = () => {
      this.abandon();
      this.listener.status("lost");
      window.setTimeout(() => this.connect(), this.retry);
      this.retry = Math.min(this.retry * 2, LONGEST_RETRY_MS);
    };
  }

  private abandon(): void {
    for (const waiting of this.waiting.values()) {
      waiting.reject(new Error("the server has gone"));
    }
    this.waiting.clear();
  }

  private receive(tell: Tell): void {
    switch (tell.tell) {
      case "snapshot":
        if (tell.version !== VERSION) {
          // Another build serves this address now.
          window.location.reload();
          return;
        }
        this.number = tell.number;
        this.retry = FIRST_RETRY_MS;
        this.listener.parts(tell.parts);
        this.listener.status("live");
        break;
      case "patch":
        if (this.follows(tell.number)) {
          this.listener.parts(tell.parts);
        }
        break;
      case "reply":
        this.answer(tell.id)?.resolve(tell.reply);
        break;
      case "failed":
        this.answer(tell.id)?.reject(new Refused(tell.message));
        break;
      case "event":
        this.listener.event(tell.event);
        break;
    }
  }

  private receiveFrame(buffer: ArrayBuffer): void {
    const frame = readFrame(buffer);
    if (!isPatch(frame)) {
      this.answer(frame.header.id)?.resolve(frame);
      return;
    }
    // A snapshot's frame carries the number that the snapshot had.
    if (frame.header.number === this.number || this.follows(frame.header.number)) {
      this.listener.patch(frame);
    }
  }

  /** Whether this is the next patch; if one is missing, everything is asked for again. */
  private follows(number: number): boolean {
    if (this.number !== null && number === this.number + 1) {
      this.number = number;
      return true;
    }
    this.tell({ ask: "resync" });
    return false;
  }

  private answer(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }
}

/** The call that was made before this script was there (public/early.js), while it stands; from then on there is none. */
function takeEarly(): Window["borgesEarly"] {
  const early = window.borgesEarly;
  window.borgesEarly = null;
  return early && early.socket.readyState <= WebSocket.OPEN ? early : null;
}
