// What the page of a model program knows, and what it asks for.
import { view } from "../state/view.svelte";
import { counted, problem } from "../words";
import { lanesOf } from "./agents";
import { counts, differing, hopes, isRight } from "./judge";
import { layout } from "./layout";
import { receiverOf } from "./sequence";
import { read, type States } from "./states";
import type { AgentCard, Came, Card, ChangeRow, EndCount, LinkRow, Order, Question, Reply, SurveyWithin } from "./types";
import { allStates, ask, type Told } from "./wire";

/** Ends of more outcomes, and graphs of more states, are not judged: every outcome is a question of its own. */
const MOST_OUTCOMES = 40;
const MOST_JUDGED = 300_000;

/** An outcome with one of its ends: the nearest. */
export interface Ending extends EndCount {
  state: number | null;
  steps: number;
  /** What it says that not all ends say. */
  own: string;
}

/** What is shown beside the multiverse; on a phone the multiverse is one of them. */
export type Panel = "graph" | "text" | "state" | "ends" | "ask" | "caredeb";

/** A step of a way. */
export type TrailStep = Pick<LinkRow, "id" | "agent" | "receiver" | "command" | "text" | "line">;

/** The way that is shown, and the universes or states on it: one more than there are steps. */
export interface Trail {
  of: "universes" | "states";
  steps: readonly TrailStep[];
  places: readonly number[];
}

const START: Trail = { of: "universes", steps: [], places: [0] };

class ModelState {
  readonly text = $derived(view.text.text);
  /** The text as it is being edited. */
  draft = $state("");
  readonly edited = $derived(this.draft !== this.text);
  readonly breakpoints = $derived(view.text.breakpoints);
  readonly graph = $derived(view.universes);
  readonly places = $derived(layout(this.graph));
  here = $state(0);
  card = $state.raw<Card | null>(null);
  /** What there was a step before, to compare. */
  before = $state.raw<{ agents: AgentCard[]; shared: Card["shared"] } | null>(null);
  leaving = $state.raw<LinkRow[]>([]);
  /** Which of all states the universe that is looked at is; none where it was not looked for. */
  state = $state.raw<Told<"state"> | null>(null);
  /** The way that is shown: it goes on beyond where the user is, when he has gone back on it. */
  trail = $state.raw<Trail>(START);
  readonly lanes = $derived(lanesOf(this.trail.steps, this.card?.agents ?? []));
  readonly at = $derived(Math.max(0, this.trail.places.indexOf(this.trail.of === "states" ? (this.state?.state.id ?? 0) : this.here)));
  /** The step that led to where the user is; none at the beginning. */
  readonly step = $derived(this.at > 0 ? (this.trail.steps[this.at - 1] ?? null) : null);
  edge = $state.raw<LinkRow | null>(null);
  changes = $state.raw<ChangeRow[]>([]);
  /** All states, once somebody looked at them. */
  states = $state.raw<States | null>(null);
  /** What all runs come to, as far as it was asked for. */
  endings = $state.raw<Ending[] | null>(null);
  /** What the user said is right; empty if nothing. */
  right = $state("");
  /** What can still come in every state; none where nothing was said, or there are too many states. */
  hope = $state.raw<Uint8Array | null>(null);
  readonly hopeful = $derived(this.hope && counts(this.hope));
  /** Whether all states are shown, or the universes of the session. */
  shown = $state<"seen" | "all">("seen");
  panel = $state<Panel>("graph");
  /** Where columns of steps stand on the page: the picture's, and the lanes' below it. */
  axis = $state.raw({ x: -1, step: 48 });
  message = $state("");
  busy = $state(false);
  /** What a survey came to. */
  surveyed = $state.raw<Told<"surveyed"> | null>(null);
  /** Who can reach each outcome, once that was asked. */
  private reached = new Map<number, readonly number[]>();

  /** Looks again at what it looks at, after the graph has changed. */
  async refresh(): Promise<void> {
    this.edge = null;
    this.changes = [];
    if (this.trail.of === "states" && this.state) {
      return;
    }
    if (this.trail.places.some((universe) => universe >= this.graph.nodes)) {
      this.trail = START;
    }
    await this.look(this.here < this.graph.nodes ? this.here : 0);
  }

  /** Another text: nothing of what was explored is true any more. */
  forget(): void {
    this.states = null;
    this.state = null;
    this.endings = null;
    this.surveyed = null;
    this.hope = null;
    this.reached.clear();
    this.trail = START;
  }

  /** Looks at a universe. */
  async look(universe: number): Promise<void> {
    const { card, path, leaving } = await ask({ command: "card", universe }, "card");
    const known = this.trail.of === "universes" ? this.trail.places.indexOf(universe) : -1;
    if (known < 0) {
      this.trail = { of: "universes", steps: path, places: [...path.map((link) => link.from), universe] };
    }
    const last = known < 0 ? path.at(-1)?.from : this.trail.places[known - 1];
    this.before = last === undefined ? null : (await ask({ command: "card", universe: last }, "card")).card;
    this.state = null;
    this.here = universe;
    this.card = card;
    this.leaving = leaving;
  }

  /** Goes along the way that is shown; beyond its end, if there is only one way on. */
  async walk(by: number): Promise<void> {
    await this.go(this.at + by);
  }

  /** Goes to a place of the way that is shown, by its number. */
  async go(at: number): Promise<void> {
    const { of, places } = this.trail;
    const ways = of === "states" ? (this.state?.leaving.map((edge) => edge.target) ?? []) : this.leaving.map((link) => link.to);
    const next = places[at] ?? (at === places.length && ways.length === 1 ? ways[0] : undefined);
    if (next !== undefined) {
      await (of === "states" ? this.lookAtState(next) : this.look(next));
    }
  }

  /** Looks at an edge and what it changes. */
  async lookAt(edge: number): Promise<void> {
    const answer = await ask({ command: "difference", edge }, "difference");
    this.edge = answer.edge;
    this.changes = answer.changes;
  }

  /** Counts all states without keeping them; goes on where it was stopped. */
  async survey(within: SurveyWithin = { wide: false, goals: [] }): Promise<void> {
    this.panel = "ends";
    this.message = "";
    await this.attempt(async () => {
      this.surveyed = await ask({ command: "survey", within }, "surveyed");
    });
  }

  /** Explores all states, if that was not done for this program, and what they come to. */
  async loadStates(): Promise<void> {
    this.states ??= read(await allStates());
    await this.loadEndings();
  }

  private async loadEndings(): Promise<void> {
    if (this.endings !== null) {
      return;
    }
    const ends = await this.asked("ends");
    const counts = "ends" in ends ? ends.ends : [];
    const total = counts.reduce((sum, end) => sum + end.states, 0);
    const told = total <= 500 ? await this.asked("shortest_to_ends") : null;
    const ways = told && "ways" in told ? told.ways : [];
    const own = differing(counts.map((end) => end.text));
    this.endings = counts.map((end, nth) => {
      const nearest = ways.filter((way) => way.outcome === end.outcome).sort((one, other) => one.steps.length - other.steps.length)[0];
      return { ...end, state: nearest?.state ?? null, steps: nearest?.steps.length ?? 0, own: own[nth] ?? end.text };
    });
    if (this.right !== "") {
      await this.judge();
    }
  }

  private async asked(question: Question): Promise<Reply> {
    return (await ask({ command: "ask", question }, "answer")).answer;
  }

  /** The user says what is right. */
  async say(right: string): Promise<void> {
    this.right = right.trim();
    this.shown = "all";
    await this.judge();
  }

  /** Finds out what of what is right can still come where. */
  async judge(): Promise<void> {
    await this.loadStates();
    const ends = this.endings ?? [];
    if (this.right.trim() === "" || !this.states || ends.length === 0) {
      this.hope = null;
      return;
    }
    if (ends.length > MOST_OUTCOMES || this.states.count > MOST_JUDGED) {
      this.hope = null;
      this.message = `ends are judged, but not ${counted(this.states.count, "state")}: there are too many`;
      return;
    }
    const of = async (end: Ending): Promise<readonly number[]> => {
      const answer = this.reached.has(end.outcome) ? null : await this.asked({ can_reach: end.outcome });
      if (answer && "states" in answer) {
        this.reached.set(end.outcome, answer.states);
      }
      return this.reached.get(end.outcome) ?? [];
    };
    const right: (readonly number[])[] = [];
    const wrong: (readonly number[])[] = [];
    for (const end of ends) {
      (isRight(this.right, end) ? right : wrong).push(await of(end));
    }
    this.hope = hopes(this.states.count, right, wrong);
  }

  /** Looks at one of all states, where all are shown: at the universe that it is. */
  async lookAtState(state: number): Promise<void> {
    const answer = await ask({ command: "state", state }, "state");
    const known = this.trail.of === "states" ? this.trail.places.indexOf(state) : -1;
    const { steps, through } = answer.way;
    const places = known < 0 ? [...through, state] : this.trail.places;
    const last = places[(known < 0 ? through.length : known) - 1];
    const before = last === undefined ? null : (await this.visited(last)).card;
    const { universe, card, leaving } = await this.visited(state);
    if (known < 0) {
      const told = steps.map((step, id): TrailStep => ({ ...step, id, receiver: receiverOf(step.text), command: false }));
      this.trail = { of: "states", steps: told, places };
    }
    this.shown = "all";
    this.edge = null;
    this.before = before;
    this.state = answer;
    this.here = universe;
    this.card = card;
    this.leaving = leaving;
  }

  /** The universe of the debugger that one of all states is. */
  private async visited(state: number): Promise<{ universe: number; card: Card; leaving: LinkRow[] }> {
    const { universe } = await ask({ command: "visit", state }, "visited");
    const { card, leaving } = await ask({ command: "card", universe }, "card");
    return { universe, card, leaving };
  }

  /** Gives an order, and shows what it comes to. */
  async order(order: Order): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    await this.attempt(async () => {
      const { ran } = await ask({ command: "order", order }, "came");
      if (order.order === "restart") {
        this.trail = START;
        this.state = null;
      }
      this.shown = "seen";
      if (ran) {
        await this.look(ran.paused[0] ?? ran.held[0] ?? ran.ends[0] ?? ran.from);
      }
      this.message = ran ? told(ran) : "";
    });
    this.busy = false;
  }

  /** Runs everything that can happen, from the start; first takes over what was edited. */
  async run(): Promise<void> {
    if (this.edited) {
      const { draft } = this;
      await this.order({ order: "edit", text: draft });
      if (this.text !== draft) {
        return;
      }
    }
    await this.order({ order: "restart" });
    await this.order({ order: "run" });
  }

  /** Does something that may fail, and shows why. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.message = problem(error);
    }
  }
}

function told(ran: NonNullable<Came["ran"]>): string {
  const count = (list: number[], what: string): string => (list.length > 0 ? `${what} in ${counted(list.length, "universe")}` : "");
  const parts = [
    count(ran.paused, "paused"),
    count(ran.held, "held"),
    count(ran.ends, "ended"),
    ran.never_reached ? "the goal is reached in no universe" : "",
    ran.stopped ? "paused: the same again goes on" : "",
    ran.cut ? "there are more universes than fit" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

export const model = new ModelState();
