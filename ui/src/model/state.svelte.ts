// What the page of a model program knows, and what it asks for.
import { layout, type Graph, type Layout } from "./layout";
import { read, type States } from "./states";
import type { BreakpointRow, Came, Card, ChangeRow, LinkRow, Order } from "./types";
import { allStates, ask, type Status, type Told } from "./wire";

const EMPTY: Graph = { nodes: 0, from: new Uint32Array(), to: new Uint32Array() };

class ModelState {
  text = $state("");
  breakpoints = $state.raw<BreakpointRow[]>([]);
  graph = $state.raw<Graph>(EMPTY);
  places = $state.raw<Layout>(layout(EMPTY));
  statuses = $state.raw<Status[]>([]);
  command = $state.raw<Uint8Array>(new Uint8Array());
  here = $state(0);
  card = $state.raw<Card | null>(null);
  path = $state.raw<LinkRow[]>([]);
  leaving = $state.raw<LinkRow[]>([]);
  edge = $state.raw<LinkRow | null>(null);
  changes = $state.raw<ChangeRow[]>([]);
  /** All states, once somebody looked at them. */
  states = $state.raw<States | null>(null);
  /** The one of all states that is looked at; none while a universe of the session is. */
  state = $state.raw<Told<"state"> | null>(null);
  /** Whether all states are shown, or the universes of the session. */
  whole = $state(false);
  message = $state("");
  busy = $state(false);

  /** Asks for the whole graph again and looks at a universe. */
  async load(here: number): Promise<void> {
    const answer = await ask({ ask: "graph", links: 0 }, "graph");
    if (answer.text !== this.text) {
      this.states = null;
    }
    this.text = answer.text;
    this.breakpoints = answer.breakpoints;
    this.statuses = answer.statuses as Status[];
    this.command = Uint8Array.from(answer.command);
    this.graph = {
      nodes: answer.statuses.length,
      from: Uint32Array.from(answer.from),
      to: Uint32Array.from(answer.to),
    };
    this.places = layout(this.graph);
    this.edge = null;
    this.changes = [];
    await this.look(here < answer.statuses.length ? here : 0);
  }

  /** Looks at a universe. */
  async look(universe: number): Promise<void> {
    const answer = await ask({ ask: "card", universe }, "card");
    this.state = null;
    this.here = universe;
    this.card = answer.card;
    this.path = answer.path;
    this.leaving = answer.leaving;
  }

  /** Looks at an edge and what it changes. */
  async lookAt(edge: number): Promise<void> {
    const answer = await ask({ ask: "difference", edge }, "difference");
    this.edge = answer.edge;
    this.changes = answer.changes;
  }

  /** Explores all states, if that was not done for this program. */
  async loadStates(): Promise<void> {
    this.states ??= read(await allStates());
  }

  /** Looks at one of all states, where all are shown. */
  async lookAtState(state: number): Promise<void> {
    const answer = await ask({ ask: "state", state }, "state");
    this.whole = true;
    this.state = answer;
  }

  /** Gives an order, and shows what it comes to. */
  async order(order: Order): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    try {
      const came: Came = await ask({ ask: "order", order }, "came");
      const ran = came.ran;
      const first = ran ? (ran.paused[0] ?? ran.held[0] ?? ran.ends[0] ?? ran.from) : 0;
      this.whole = false;
      await this.load(ran ? first : this.here);
      this.message = ran ? told(ran) : "";
    } catch (error) {
      this.message = String(error instanceof Error ? error.message : error);
    } finally {
      this.busy = false;
    }
  }

  /** Goes from one of all states to its universe, where it can be debugged. */
  async visit(state: number): Promise<void> {
    const universe = await ask({ ask: "visit", state }, "visited");
    this.whole = false;
    await this.load(universe);
  }

  /** Does something that may fail, and shows why. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.message = String(error instanceof Error ? error.message : error);
    }
  }
}

function told(ran: NonNullable<Came["ran"]>): string {
  const count = (list: number[], what: string): string => {
    const many = list.length === 1 ? "universe" : "universes";
    return list.length > 0 ? `${what} in ${list.length} ${many}` : "";
  };
  const parts = [count(ran.paused, "paused"), count(ran.held, "held"), count(ran.ends, "ended")];
  if (ran.never_reached) {
    parts.push("the goal is reached in no universe");
  }
  if (ran.stopped) {
    parts.push("paused: the same again goes on");
  }
  if (ran.cut) {
    parts.push("there are more universes than fit");
  }
  return parts.filter((part) => part !== "").join(", ");
}

export const model = new ModelState();
