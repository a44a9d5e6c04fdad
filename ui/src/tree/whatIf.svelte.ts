// What if this reading had been another one: where that is asked, and what is tried.
import { panel } from "../state/panel.svelte";
import { name, view } from "../state/view.svelte";
import { counted } from "../words";
import { entryAt, entryNow } from "./walk";
import type { Place } from "./model";
import type { Entry } from "./entries";

/** An input of the past whose value is put in question: the place right after it. */
export interface Asked {
  place: Place;
  entry: Entry;
}

class WhatIf {
  asked = $state.raw<Asked | null>(null);
  /** The universes that were played out last: their leaves are shown with pictures. */
  busy = $state(false);

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

  /** Adds a branch for each value of a past reading. */
  async branch(asked: Asked, values: string): Promise<void> {
    this.asked = null;
    if (await this.goBefore(asked)) {
      await this.branchHere(values);
    }
  }

  /** Adds a branch for each value of the reading that comes next. */
  async branchHere(values: string): Promise<void> {
    const before = view.info?.branches ?? 0;
    const reply = await view.run({ command: "branches", values });
    if (reply?.reply === "done") {
      const added = (view.info?.branches ?? before) - before;
      view.message("info", added > 0 ? `${counted(added, "universe")} added: click one to go there` : reply.message, view.undo());
    }
  }

  /** Adds a branch for each value of the next reading, from wherever the program stands. */
  async branchNext(values: string): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    if (view.inputs.some(({ next }) => next) || (await this.toNextInput())) {
      await this.branchHere(values);
    }
    this.busy = false;
  }

  /** Every reading that can come next, each in a universe of its own. */
  async playAll(): Promise<void> {
    if (this.values.length > 0) {
      await this.branchNext(this.values.join(", "));
    }
  }

  private async toNextInput(): Promise<boolean> {
    // The program stands further from its next input: to right before it.
    const call = this.next?.call.replace(/\(.*/, "") ?? "";
    const set = await view.want({ command: "break", kind: { primitive: call }, hits: 0 }, "breakpoint-set");
    if (!set) {
      return false;
    }
    const stopped = await view.run({ command: "continue", direction: "forward" });
    await view.run({ command: "delete-breakpoints", ids: [set.id] });
    return stopped !== null;
  }
}

export const whatIf = new WhatIf();
