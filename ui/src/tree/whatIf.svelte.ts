// What if this reading had been another one: where that is asked, and what is tried.
import { stage } from "../sheet/stage.svelte";
import { panel } from "../state/panel.svelte";
import { name, view } from "../state/view.svelte";
import { counted } from "../words";
import { entryAt, entryNow } from "./walk";
import type { Place } from "./model";
import type { Act } from "../wire/types";
import type { Entry } from "./entries";

/** An input of the past whose value is put in question: the place right after it. */
export interface Asked {
  place: Place;
  entry: Entry;
}

/** Until what a future is played out. */
type Play = Extract<Act, { command: "play" }>;
export type PlayUntil = { [U in Play["until"]]: Omit<Extract<Play, { until: U }>, "command" | "at" | "values"> }[Play["until"]];

class WhatIf {
  asked = $state.raw<Asked | null>(null);
  busy = $state(false);
  /** Until what universes are played out. */
  until = $state.raw<PlayUntil>({ until: "round" });

  /** The input that comes next, if the program stands before one or its only input is known. */
  readonly next = $derived.by(() => view.inputs.find(({ next }) => next) ?? (view.inputs.length === 1 ? view.inputs[0] : undefined));

  /** How many values the next reading can have. */
  readonly values = $derived.by((): string[] => {
    const input = this.next;
    if (!input) {
      return [];
    }
    if (input.values.length > 0) {
      return input.values;
    }
    const [low, high] = input.range ?? [0, 0];
    return high - low < 64 ? Array.from({ length: high - low + 1 }, (_, n) => String(low + n)) : [];
  });

  /** Puts the chosen input in question, or the last one on the way here. */
  async change(): Promise<void> {
    let place: Place | null = view.multiverse.canonical(view.selected ?? view.here);
    for (let n = 0; place && n < 200 && place.index > 0; n++) {
      const entry = entryAt(place) ?? (await entryNow(place));
      if (entry?.kind === "input") {
        panel.show("tree");
        this.asked = { place, entry };
        return;
      }
      place = view.multiverse.canonical({ branch: place.branch, index: place.index - 1 });
    }
    view.message("info", "nothing was read on the way here: press Run, or e for the next input");
  }

  /** Goes to right before an input. */
  async goBefore({ place, entry }: Asked): Promise<boolean> {
    const before = view.multiverse.canonical({ branch: place.branch, index: place.index - 1 });
    const there = await view.run({ command: "jump", target: name({ ...before, offset: 0 }) });
    return there !== null && (await view.run({ command: "jump", target: `@${entry.steps}` })) !== null;
  }

  /** Plays each value of a past reading out. */
  async branch(asked: Asked, values: string): Promise<void> {
    this.asked = null;
    await this.play(values, name({ ...asked.place, offset: 0 }));
  }

  /** Plays each value of the next reading out, from wherever the program stands. */
  async branchNext(values: string): Promise<void> {
    if (view.inputs.some(({ next }) => next) || (await this.toNextInput())) {
      await this.play(values, null);
    }
  }

  /** Every reading that can come next, each in a universe of its own; of many values, one of each kind. */
  async playAll(): Promise<void> {
    if (this.next) {
      await this.branchNext(this.values.length > 0 ? this.values.join(", ") : "sets");
    }
  }

  private async play(values: string, at: string | null): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    const reply = await view.run({ command: "play", values, ...(at === null ? {} : { at }), ...this.until });
    this.busy = false;
    if (reply?.reply === "played") {
      const { played, wanted } = reply;
      const cut = wanted > played.length ? `paused: ${played.length} of ${counted(wanted, "universe")}` : counted(played.length, "universe");
      view.message("info", `${cut} played out${UNTIL[this.until.until]}`);
      stage.follows = true;
    }
  }

  /** The program stands further from its next input: to right before it. */
  private async toNextInput(): Promise<boolean> {
    const call = this.next?.call.replace(/\(.*/, "") ?? "";
    const set = await view.want({ command: "break", kind: { primitive: call }, hits: 0 }, "breakpoint-set");
    if (!set) {
      return false;
    }
    const stopped = await view.run({ command: "run-on" });
    await view.run({ command: "delete-breakpoints", ids: [set.id] });
    return stopped !== null;
  }
}

/** Until what universes were played out, in words. */
const UNTIL: Record<PlayUntil["until"], string> = {
  round: " to the end of the round",
  place: " to the line",
  breakpoint: " to a breakpoint",
  time: " in time",
  nowhere: " nowhere: they begin here",
};

export const whatIf = new WhatIf();
