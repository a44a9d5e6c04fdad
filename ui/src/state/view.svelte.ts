// The page's copy of what the server tells, and the page's own wishes. There is one.
import { untrack } from "svelte";
import { grown, NO_UNIVERSES } from "../model/universes";
import { Entries } from "../tree/entries";
import { Multiverse, type Place } from "../tree/model";
import { isBranches, type BranchesFrame } from "../wire/frames";
import { problem } from "../words";
import { trail } from "./trail.svelte";
import { Refused, Socket, type Status } from "../wire/socket";
import type { Ask, Command, Event, Part, Question, Reply, UniverseId, Within } from "../wire/types";

export interface Message {
  id: number;
  kind: "info" | "bad" | "log";
  text: string;
  /** What can be done about it. */
  act?: { label: string; run: () => void };
}

/** What goes further than a step: the place that it leaves can be gone back to. */
const LEAVES: ReadonlySet<string> = new Set(["jump", "who", "run-to", "restart", "continue", "run-on"]);
/** What moves, or may take long: Pause ends it. */
const MOVES: ReadonlySet<string> = new Set([...LEAVES, "run-on", "step", "branches", "play", "upload", "follow"]);

const MESSAGE_MS = 6000;

/** Parts by their names. */
type Parts = { [P in Part as P["part"]]: P["is"] };

/** An answer of a kind. */
export type Told<K extends Reply["reply"] = Reply["reply"]> = Extract<Reply, { reply: K }>;

type Surveying = Extract<Event, { event: "surveying" }>;

/** What is kept as the server tells it: a part without a field of its name does not compile. */
class View implements Omit<Parts, "board" | "line" | "work" | "running"> {
  status = $state<Status>("connecting");
  info = $state.raw<Parts["info"]>(null);
  /** The program of a model language that is debugged; null if it is another program, or none. */
  model = $state.raw<Parts["model"]>(null);
  /** Its text, and what is marked in it. */
  text = $state.raw<Parts["text"]>({ text: "", breakpoints: [] });
  /** Its universes that were seen. */
  universes = $state.raw(NO_UNIVERSES);
  /** The tour that leads through it, if it is an example. */
  tour = $state.raw<Parts["tour"]>(null);
  stop = $state.raw<Parts["stop"]>(null);
  program = $state.raw<Parts["program"]>({ files: [], functions: [], warnings: [] });
  agents = $state.raw<Parts["agents"]>([]);
  stack = $state.raw<Parts["stack"]>({ frames: [] });
  variables = $state.raw<Parts["variables"]>({ frame: 0, locals: [], globals: [], of_libraries: 0, operands: [] });
  watches = $state.raw<Parts["watches"]>([]);
  breakpoints = $state.raw<Parts["breakpoints"]>([]);
  mocks = $state.raw<Parts["mocks"]>([]);
  notes = $state.raw<Parts["notes"]>([]);
  board = $state.raw<Parts["board"]["board"] | null>(null);
  /** What the board's clock shows, in microseconds. */
  clock = $state(0);
  console = $state("");
  /** What a program of an operating system has written; null for others. */
  streams = $state.raw<Parts["streams"]>(null);
  inputs = $state.raw<Parts["inputs"]>([]);
  shelf = $state.raw<Parts["shelf"]>({ examples: [], recent: [] });
  /** Futures that were asked for; null if none were. */
  suggestions = $state.raw<Parts["suggestions"]>(null);
  /** Whether they were asked for by the page itself. */
  isQuiet = $state(false);
  file = $state.raw<Parts["file"]>({ changed: false, followed: false });
  /** Where the program is while it runs; null while it stands still. */
  running = $state.raw<Parts["running"]>(null);
  /** How fast the board's clock goes while it runs. */
  pace = $state.raw<Parts["pace"]>({ times: null });
  /** The branch that motions forward follow. */
  line = $state(0);
  /** What is being done; null while all is quiet. */
  work = $state<string | null>(null);
  progress = $state<number | null>(null);
  /** How much of it is done, where nobody knows how much there is. */
  done = $state(0);
  /** How far a survey has come, and how many states it meets in a second; null while there is none. */
  survey = $state.raw<(Surveying & { aSecond: number }) | null>(null);
  /** What a survey of a device program came to. */
  surveyed = $state.raw<Told<"surveyed"> | null>(null);
  /** When that was counted last, and how many there were then. */
  private counted = { at: 0, states: 0 };
  /** Moves with every change of the multiverse. */
  revision = $state(0);
  /** Moves with every entry that arrives. */
  entriesArrived = $state(0);
  /** The place that the tree shows as chosen; null while it is where the user is. */
  selected = $state.raw<Place | null>(null);
  messages = $state<Message[]>([]);
  /** Commands of this page that are under way. */
  pending = $state(0);
  /** Those of them that move, or may take long. */
  moving = $state(0);

  readonly multiverse = new Multiverse();
  readonly entries = new Entries(
    this.multiverse,
    (branch, from, count) => this.socket().entries(branch, from, count, true),
    () => {
      this.entriesArrived++;
    },
  );
  private link: Socket | null = null;
  private nextMessage = 1;

  /** Comes back once the server has told what there is. */
  connect(): Promise<void> {
    const url = new URL("./socket", window.location.href);
    url.protocol = "ws:";
    url.hash = "";
    let heard = (): void => {};
    const told = new Promise<void>((resolve) => (heard = resolve));
    this.link = new Socket(url.href, {
      status: (status) => {
        this.status = status;
        if (status === "live") {
          // Frames that belong to it are right behind it.
          window.setTimeout(heard);
        }
      },
      parts: (parts) => parts.forEach((part) => this.take(part)),
      patch: (frame) => {
        if (isBranches(frame)) {
          this.grow(frame);
        } else {
          this.universes = grown(this.universes, frame);
        }
      },
      event: (event) => this.happened(event),
    });
    return told;
  }

  socket(): Socket {
    if (!this.link) {
      throw new Error("the page asks before it is connected");
    }
    return this.link;
  }

  /** Asks for an answer of a kind; what the session refuses is thrown as an error with its words. */
  async ask<K extends Reply["reply"]>(command: Command, kind: K): Promise<Told<K>> {
    const reply = await this.socket().command(command);
    if (reply.reply !== kind) {
      throw new Error("the server answers something else: is it of another version?");
    }
    return reply as Told<K>;
  }

  /** Has the session do something; what it refuses is shown, and null comes back. */
  async run(command: Command): Promise<Reply | null> {
    if (LEAVES.has(command.command) && this.info) {
      trail.leave(name(this.here));
    }
    const by = MOVES.has(command.command) ? 1 : 0;
    untrack(() => (this.moving += by));
    const reply = await this.attempt(() => this.socket().command(command));
    untrack(() => (this.moving -= by));
    return reply;
  }

  /** Goes back to the place before the last far move, or on again. */
  async travel(which: "back" | "forth"): Promise<void> {
    const place = trail.take(name(this.here), which);
    if (place !== null) {
      await this.attempt(() => this.socket().command({ command: "jump", target: place }));
    }
  }

  /** For a message about a move. */
  undo(): Message["act"] {
    return { label: "Undo", run: () => void this.travel("back") };
  }

  /** As `ask`, for a user who waits: what is refused is shown, and null comes back. */
  async want<K extends Reply["reply"]>(command: Command, kind: K): Promise<Told<K> | null> {
    return this.attempt(() => this.ask(command, kind));
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    this.count(1);
    try {
      return await work();
    } catch (error) {
      this.complain(error);
      return null;
    } finally {
      this.count(-1);
    }
  }

  /** Also called from effects, which must not depend on what they change. */
  private count(by: number): void {
    untrack(() => (this.pending += by));
  }

  /** As `run`, and says in words what was done. */
  async say(command: Command): Promise<Reply | null> {
    const reply = await this.run(command);
    if (reply?.reply === "done") {
      this.message("info", reply.message);
    }
    return reply;
  }

  pause(): void {
    this.tell({ ask: "pause" });
  }

  /** Tells the server something that is heard at once and not answered. */
  tell(ask: Ask): void {
    this.socket().tell(ask);
  }

  /** Asks about futures; answers arrive while one works. */
  async suggest(question: Question, within: Within, isQuiet = false): Promise<void> {
    this.isQuiet = isQuiet;
    try {
      await this.socket().suggest(question, within, isQuiet);
    } catch (error) {
      if (!isQuiet) {
        this.complain(error);
      }
    }
  }

  endSuggestions(): void {
    this.socket().tell({ ask: "end-suggestions" });
  }

  watch(expressions: string[]): void {
    this.socket().tell({ ask: "watch", expressions });
  }

  /** What is debugged, by its file's name. */
  get title(): string {
    return (this.info?.program ?? this.model?.name)?.split("/").pop()?.replace(/\.wasm$/, "") ?? "";
  }

  get here(): UniverseId {
    return this.info?.here.universe ?? { branch: 0, index: 0, agent: 0, offset: 0 };
  }

  get device(): UniverseId {
    return this.info?.device_at.universe ?? { branch: 0, index: 0, agent: 0, offset: 0 };
  }

  complain(error: unknown): void {
    this.message(error instanceof Refused || this.status === "live" ? "bad" : "info", problem(error));
  }

  message(kind: Message["kind"], text: string, act?: Message["act"]): void {
    const id = this.nextMessage++;
    this.messages = [...this.messages.slice(-2), { id, kind, text, ...(act ? { act } : {}) }];
    window.setTimeout(() => this.dismiss(id), MESSAGE_MS);
  }

  dismiss(id: number): void {
    this.messages = this.messages.filter((message) => message.id !== id);
  }

  private grow(frame: BranchesFrame): void {
    if (frame.header.fresh) {
      this.entries.clear();
      this.selected = null;
    }
    this.multiverse.apply(frame);
    this.revision++;
  }

  private happened(event: Event): void {
    switch (event.event) {
      case "warning":
        this.message("info", event.text);
        break;
      case "log":
        this.message("log", event.text);
        break;
      case "progress":
        this.done = event.done;
        this.progress = event.total ? event.done / event.total : null;
        break;
      case "surveying":
        this.done = event.states;
        this.survey = { ...event, aSecond: this.rate(event.states) };
        break;
      case "console":
        break;
    }
  }

  /** How many states come in a second, over the last second. */
  private rate(states: number): number {
    const now = performance.now();
    const seconds = (now - this.counted.at) / 1000;
    if (this.survey && seconds < 1) {
      return this.survey.aSecond;
    }
    const rate = this.survey ? Math.round((states - this.counted.states) / seconds) : 0;
    this.counted = { at: now, states };
    return rate;
  }

  private take(part: Part): void {
    switch (part.part) {
      case "board":
        this.board = part.is.board;
        this.clock = part.is.clock_us;
        break;
      case "running":
        this.running = part.is;
        if (part.is) {
          this.entries.feed(part.is.universe, part.is.tail);
        }
        break;
      case "line":
        this.line = part.is.branch;
        break;
      case "work":
        this.work = part.is.doing ?? null;
        if (this.work === null) {
          this.progress = null;
          this.done = 0;
          this.survey = null;
        }
        break;
      default:
        if (part.part in this) {
          Object.assign(this, { [part.part]: part.is });
        } else {
          this.message("bad", `the server tells of ${String(part["part"])}, which this page does not know: reload it`);
        }
    }
  }
}

export const view = new View();

/** A universe as the REPL names it. */
export function name(id: Omit<UniverseId, "agent"> & { agent?: number }): string {
  const place = `${id.branch}.${id.index}`;
  if (id.agent) return `${place}+${id.agent}:${id.offset}`;
  return id.offset === 0 ? place : `${place}+${id.offset}`;
}
