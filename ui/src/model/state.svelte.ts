// What the page of a model program knows, and what it asks for.
import { view } from "../state/view.svelte";
import { counted, problem } from "../words";
import { layout } from "./layout";
import { read, type States } from "./states";
import type { Came, Card, ChangeRow, LinkRow, Order } from "./types";
import { allStates, ask, type Told } from "./wire";

class ModelState {
  readonly text = $derived(view.text.text);
  readonly breakpoints = $derived(view.text.breakpoints);
  readonly graph = $derived(view.universes);
  readonly places = $derived(layout(this.graph));
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
  shown = $state<"seen" | "all">("seen");
  message = $state("");
  busy = $state(false);

  /** Looks again at what it looks at, after the graph has changed. */
  async refresh(): Promise<void> {
    this.edge = null;
    this.changes = [];
    await this.look(this.here < this.graph.nodes ? this.here : 0);
  }

  /** Looks at a universe. */
  async look(universe: number): Promise<void> {
    const answer = await ask({ command: "card", universe }, "card");
    this.state = null;
    this.here = universe;
    this.card = answer.card;
    this.path = answer.path;
    this.leaving = answer.leaving;
  }

  /** Looks at an edge and what it changes. */
  async lookAt(edge: number): Promise<void> {
    const answer = await ask({ command: "difference", edge }, "difference");
    this.edge = answer.edge;
    this.changes = answer.changes;
  }

  /** Explores all states, if that was not done for this program. */
  async loadStates(): Promise<void> {
    this.states ??= read(await allStates());
  }

  /** Looks at one of all states, where all are shown. */
  async lookAtState(state: number): Promise<void> {
    const answer = await ask({ command: "state", state }, "state");
    this.shown = "all";
    this.state = answer;
  }

  /** Gives an order, and shows what it comes to. */
  async order(order: Order): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    await this.attempt(async () => {
      const { ran } = await ask({ command: "order", order }, "came");
      this.shown = "seen";
      if (ran) {
        await this.look(ran.paused[0] ?? ran.held[0] ?? ran.ends[0] ?? ran.from);
      }
      this.message = ran ? told(ran) : "";
    });
    this.busy = false;
  }

  /** Goes from one of all states to its universe, where it can be debugged. */
  async visit(state: number): Promise<void> {
    const { universe } = await ask({ command: "visit", state }, "visited");
    this.shown = "seen";
    await this.look(universe);
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
