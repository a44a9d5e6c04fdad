// Walking the multiverse by keyboard, and going where the walk led.
import { view } from "../state/view.svelte";
import { wish } from "../state/wishes.svelte";
import { key as keyOf, segmentFrom, segmentOf, type Layout } from "./layout";
import { members } from "../groups";
import { entryOf, type Entry } from "./entries";
import { samePlace, type Place } from "./model";

/** Chooses a place without going there. */
export function select(place: Place | null, offset = 0): void {
  view.selected = place && !(samePlace(place, view.here) && offset === 0) ? place : null;
  wish.selectedOffset = offset;
}

/** The entry that leads to a place, if it is known by now. */
export function entryAt(place: Place): Entry | null {
  const at = view.multiverse.canonical(place);
  const row = view.multiverse.rowOf(at.branch);
  return row === undefined || at.index === 0 ? null : view.entries.at(row, at.index);
}

/** The entry that leads to a place, as soon as the server has told it. */
export async function entryNow(place: Place): Promise<Entry | null> {
  const at = view.multiverse.canonical(place);
  if (at.index === 0) {
    return null;
  }
  const frame = await view.socket().entries(at.branch, at.index - 1, 1, true);
  return frame.header.count > 0 ? entryOf(frame, 0) : null;
}

/** Shows a universe. */
export async function jumpTo(place: Place, offset = 0): Promise<void> {
  const at = offset > 0 ? `${place.branch}.${place.index}+${offset}` : `${place.branch}.${place.index}`;
  if (await view.run({ command: "jump", target: at })) {
    view.selected = null;
  }
}

/** The place one entry back, or to the beginning of a folded run. */
export function previous(place: Place, layout: Layout): Place | null {
  const model = view.multiverse;
  const at = model.canonical(place);
  const row = model.rowOf(at.branch);
  if (row === undefined || at.index === 0) {
    return null;
  }
  const segment = segmentOf(layout, row, at.index);
  const folded = segment >= 0 && layout.folded[segment] === 1;
  const index = folded ? segmentFrom(model, layout, row, segment) : at.index - 1;
  return model.canonical({ branch: at.branch, index });
}

/** The place one entry on: along the user's own path where there is a choice, else along the branch. */
export function next(place: Place, layout: Layout): Place | null {
  const model = view.multiverse;
  const at = model.canonical(place);
  const row = model.rowOf(at.branch);
  if (row === undefined) {
    return null;
  }
  if (at.index < (model.tip[row] ?? 0)) {
    const segment = segmentOf(layout, row, at.index + 1);
    const folded = segment >= 0 && layout.folded[segment] === 1;
    return { branch: at.branch, index: folded ? (layout.to[segment] ?? at.index + 1) : at.index + 1 };
  }
  return futures(at)[0] ?? null;
}

/** The places right after a place: the choices there. */
export function futures(place: Place): Place[] {
  const model = view.multiverse;
  const at = model.canonical(place);
  const row = model.rowOf(at.branch);
  if (row === undefined) {
    return [];
  }
  const index = at.index + 1;
  const list: Place[] = at.index < (model.tip[row] ?? 0) ? [{ branch: at.branch, index }] : [];
  for (const child of members(model.children(), row)) {
    if (model.fork[child] === at.index) {
      list.push({ branch: model.branch[child] ?? 0, index });
    }
  }
  return list;
}

/** The alternatives at the last choice, this one among them. */
export function siblings(place: Place): Place[] {
  const at = view.multiverse.canonical(place);
  if (at.index === 0) {
    return [at];
  }
  return futures(view.multiverse.canonical({ branch: at.branch, index: at.index - 1 }));
}

/** The nearest choice point before a place, and the alternative `by` further on. */
function beside(place: Place, by: number, layout: Layout): Place | null {
  let at: Place | null = view.multiverse.canonical(place);
  for (let n = 0; at && n < 200; n++) {
    const others = siblings(at);
    if (others.length > 1) {
      const current = others.findIndex((other) => at && samePlace(other, at));
      const wanted = others[current + by];
      if (wanted) {
        return wanted;
      }
    }
    at = previous(at, layout);
  }
  return null;
}

/** The last place of a branch. */
function endOf(branch: number): Place {
  const row = view.multiverse.rowOf(branch);
  return { branch, index: row === undefined ? 0 : (view.multiverse.tip[row] ?? 0) };
}

/** Keys that mean the same as another. */
const SAME: Record<string, string> = { h: "ArrowLeft", l: "ArrowRight", k: "ArrowUp", j: "ArrowDown", " ": "u" };

/** Does what a key means in the tree; whether it means anything. */
export function key(pressed: string, layout: Layout): boolean {
  const place: Place = view.selected ?? view.here;
  const go = (target: Place | null): void => {
    if (target) {
      select(target);
    }
  };
  const acts: Record<string, () => unknown> = {
    ArrowLeft: () => go(previous(place, layout)),
    ArrowRight: () => go(next(place, layout)),
    ArrowUp: () => go(beside(place, -1, layout)),
    ArrowDown: () => go(beside(place, 1, layout)),
    Home: () => go({ branch: view.multiverse.branch[0] ?? 0, index: 0 }),
    End: () => go(endOf(view.line)),
    Enter: () => jumpTo(place, view.selected ? wish.selectedOffset : 0),
    Escape: () => select(null),
    u: () => unfoldAt(place, layout),
    x: () => wish.collapse(view.multiverse.canonical(place).branch),
  };
  const act = acts[SAME[pressed] ?? pressed];
  act?.();
  return act !== undefined;
}

/** Unfolds the run that follows a place; if there is nothing folded, its instructions. */
function unfoldAt(place: Place, layout: Layout): void {
  const model = view.multiverse;
  const at = model.canonical(place);
  const row = model.rowOf(at.branch);
  if (row === undefined) {
    return;
  }
  const segment = at.index < (model.tip[row] ?? 0) ? segmentOf(layout, row, at.index + 1) : -1;
  if (segment >= 0 && layout.folded[segment] === 1) {
    wish.unfold(at.branch, segmentFrom(model, layout, row, segment));
    return;
  }
  void openSteps(at);
}

/** Unfolds the deterministic run after a place to single instructions. */
async function openSteps(at: Place): Promise<void> {
  const model = view.multiverse;
  const row = model.rowOf(at.branch);
  if (row === undefined) {
    return;
  }
  const before = await stepsOf(at);
  const tip = model.tip[row] ?? 0;
  const after = at.index < tip ? await stepsBefore(at.branch, at.index) : (model.reached[row] ?? 0);
  if (before !== null && after !== null && after > before) {
    wish.open(keyOf(at.branch, at.index), after - before);
  }
}

/** Steps when the entry after `index` is about to happen. */
async function stepsBefore(branch: number, index: number): Promise<number | null> {
  const frame = await view.socket().entries(branch, index, 1, false);
  return frame.steps[0] ?? null;
}

/** Steps right after the entry that leads to a place. */
async function stepsOf(at: Place): Promise<number | null> {
  if (at.index === 0) {
    return 0;
  }
  const frame = await view.socket().entries(at.branch, at.index - 1, 1, false);
  const steps = frame.steps[0];
  // A call is retired by its answer, an event between two instructions.
  return steps === undefined ? null : steps + ((frame.kind[0] ?? 0) % 4 === 2 ? 0 : 1);
}
