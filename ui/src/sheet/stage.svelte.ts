// What the tree and the lanes below it share: one layout, one camera, one axis.
import { layOut, movedFrom, onTheWay, ROW, type Layout, type Wishes } from "../tree/layout";
import { samePlace, type Place } from "../tree/model";
import { spot, type Camera, type Ground, type Mark, type Scene } from "../tree/scene";
import { NOTHING, layOutSuggested, unfolding, type Suggested } from "../tree/suggested";
import { axisOf, xOfStep, type Axis } from "../time/axis";
import { NO_COLUMNS, type PathColumns } from "../time/path";
import { theme } from "../state/theme.svelte";
import { name, view } from "../state/view.svelte";
import { leaves } from "../tree/leaves.svelte";
import { futures } from "../tree/walk";
import { wish } from "../state/wishes.svelte";

/** The least and the most that the drawing is stretched: below, text would not be legible. */
const ZOOM = { least: 0.1, most: 4 } as const;
const RISE = { least: 14 / ROW, most: 2 } as const;
/** How long the camera goes from one place to the next. */
const GLIDE_MS = 200;
/** Room left of the start, and right of the last leaf. */
const LEFT = 40;
const RIGHT = 150;

/** How far what began to move then has come, slower towards its end; 1 once it is there. */
function eased(begun: number): number {
  return 1 - (1 - Math.min(1, (performance.now() - begun) / GLIDE_MS)) ** 3;
}

class Stage {
  size = $state.raw({ width: 600, height: 300 });
  camera = $state.raw<Camera>({ x: -LEFT, y: -20, zoom: 1, rise: 1 });
  private goal: Camera | null = null;
  private from = this.camera;
  private begun = 0;
  private isSettled = false;
  /** How far what is new has come out of its branch; at 1 it is there. */
  private unfolded = $state(1);
  private before: Layout | null = null;
  private readonly fan: { of: string; begun: number; from: Float64Array | null } = { of: "", begun: 0, from: null };
  /** Until the user takes hold of it, the picture keeps everything in sight. */
  follows = $state(true);
  hover = $state.raw<Place | null>(null);
  columns = $state.raw<PathColumns>(NO_COLUMNS);
  /** Room that the table of leaves takes at the right. */
  table = $state(0);

  readonly wishes: Wishes = $derived({
    pins: [view.here, view.device, ...view.notes.map((note) => note.universe), ...(view.selected ? [view.selected] : [])],
    unfolded: wish.unfolded,
    opened: wish.opened,
    collapsed: wish.collapsed,
    only: wish.only,
    spread: wish.spread,
    sorts: leaves.sorts,
  });

  readonly layout: Layout = $derived.by(() => {
    void view.revision;
    const layout = layOut(view.multiverse, this.wishes);
    const from = this.before && theme.moves && !view.running ? movedFrom(view.multiverse, this.before, layout) : null;
    this.before = layout;
    if (from) {
      this.fan.from = from;
      this.unfold();
    }
    return layout;
  });

  readonly axis: Axis = $derived.by(() => {
    void view.revision;
    return axisOf(view.multiverse, this.layout, this.wishes, view.line, this.columns);
  });

  readonly path = $derived.by(() => {
    void view.revision;
    return along(view.here);
  });

  /** The recorded way that motion forward will follow. */
  readonly onward = $derived.by(() => {
    void view.revision;
    const row = view.multiverse.rowOf(view.line);
    return row === undefined ? new Map<number, number>() : along({ branch: view.line, index: view.multiverse.tip[row] ?? 0 });
  });

  /** What a jump to the chosen place would walk. */
  readonly preview = $derived.by(() => {
    void view.revision;
    const target = this.hover ?? view.selected;
    return target && !samePlace(target, view.here) ? along(target) : new Map<number, number>();
  });

  readonly marks = $derived.by(() => {
    const { here, device } = view;
    const list: Mark[] = view.notes.map((note) => ({
      place: note.universe,
      offset: note.universe.offset,
      kind: "note",
      text: note.name ?? note.text,
    }));
    for (const { at, other } of view.info?.same ?? []) {
      list.push({ place: at, offset: at.offset, kind: "same", text: `as ${name(other)}`, other });
    }
    if (view.info?.here.device_elsewhere) {
      list.push({ place: device, offset: device.offset, kind: "device", text: "the device" });
    }
    list.push({ place: here, offset: here.offset, kind: "here", text: here.index + here.offset === 0 ? "you are here" : "here" });
    if (this.hover) {
      list.push({ place: this.hover, offset: 0, kind: "hover", text: "" });
    }
    if (view.selected) {
      list.push({ place: view.selected, offset: wish.selectedOffset, kind: "selected", text: "" });
    }
    return list;
  });

  readonly scene: Scene = $derived.by(() => {
    void view.entriesArrived;
    const { wishes, camera, marks, path, onward, preview } = this;
    const { layout: there, fan, unfolded } = this;
    const layout = unfolded < 1 && fan.from ? onTheWay(view.multiverse, there, fan.from, unfolded) : there;
    const { entries, multiverse: model } = view;
    return { model, layout, entries, wishes, camera, marks, path, onward, preview, axis: this.axis, steps: view.info?.here.steps ?? 0, ...this.size };
  });

  /** Where things are, wherever one looks from. */
  readonly ground: Ground = $derived.by(() => ({ model: view.multiverse, layout: this.layout, wishes: this.wishes, axis: this.axis }));

  /** Where *here* is, in the drawing. */
  readonly here = $derived(spot(this.ground, view.here, view.here.offset, view.info?.here.steps ?? 0));

  /** Futures that nobody has been in yet. */
  readonly suggested: Suggested = $derived.by(() => {
    const listing = view.suggestions;
    const from = listing?.from;
    const at = from && spot(this.ground, from, from.offset, samePlace(from, view.here) ? (view.info?.here.steps ?? 0) : null);
    // What the page asked by itself is a future of here, or it is not shown.
    const isStale = view.isQuiet && (!from || !samePlace(from, view.here) || from.offset !== view.here.offset);
    // Where it has been tried out, nobody needs to be told what could be.
    const isTried = view.isQuiet && from !== null && from !== undefined && futures(from).length > 1;
    return listing && at && !isStale && !isTried ? layOutSuggested(listing, at.x, at.y, this.layout.rows) : NOTHING;
  });

  /** The same as it is drawn: new ones fan out of where one is. */
  readonly fanned: Suggested = $derived.by(() => {
    const { suggested, unfolded } = this;
    const key = view.suggestions?.from ? name(view.suggestions.from) : "";
    if (suggested.edges.length > 0 && key !== this.fan.of) {
      this.fan.of = key;
      if (theme.moves && !view.running) {
        this.unfold();
        return unfolding(suggested, 0);
      }
    }
    return unfolding(suggested, unfolded);
  });

  /** Where a point of the drawing is on the canvas. */
  px(x: number): number {
    return (x - this.camera.x) * this.camera.zoom;
  }

  py(y: number): number {
    return (y - this.camera.y) * this.camera.rise;
  }

  pxOfStep(step: number): number {
    return this.px(xOfStep(this.axis, step));
  }

  /** Stretches time, or what lies between branches, around a point of the canvas. */
  zoomAt(zoom: number, rise: number, px = this.size.width / 2, py = this.size.height / 2): void {
    const { camera } = this;
    const to = {
      zoom: Math.min(ZOOM.most, Math.max(ZOOM.least, camera.zoom * zoom)),
      rise: Math.min(RISE.most, Math.max(RISE.least, camera.rise * rise)),
    };
    this.follows = false;
    this.goal = null;
    this.camera = { ...to, x: camera.x + px / camera.zoom - px / to.zoom, y: camera.y + py / camera.rise - py / to.rise };
  }

  pan(dx: number, dy: number): void {
    this.follows = false;
    this.goal = null;
    this.camera = { ...this.camera, x: this.camera.x + dx / this.camera.zoom, y: this.camera.y + dy / this.camera.rise };
  }

  /** Everything in sight, as large as it is legible: time and branches each for themselves. */
  fit(): void {
    this.follows = true;
    this.settle();
  }

  /** Keeps the picture as it is wanted, after what is drawn has changed. */
  settle(): void {
    if (!this.follows) {
      return;
    }
    const { width, height } = this.size;
    const { layout, suggested, axis } = this;
    const across = Math.max(layout.ends, suggested.width, axis.end);
    const levels = Math.max(layout.rows, suggested.bottom);
    const above = Math.max(0, suggested.above);
    const zoom = Math.min(1.25, Math.max(0.55, (width - LEFT - RIGHT - this.table) / Math.max(1, across)));
    const rise = Math.min(1, Math.max(RISE.least * 1.6, (height - 96) / ((levels + above) * ROW)));
    const shownAcross = width / zoom;
    const { x: hereX, y: hereY } = this.here ?? { x: 0, y: 0 };
    // What can come next is to be seen as well, with the pictures at its ends.
    const ahead = suggested.edges.length > 0 ? (suggested.width - hereX) / shownAcross : 0;
    const part = Math.max(0.35, Math.min(0.78, 1 - ahead));
    const x = (across * zoom <= width - LEFT - this.table ? -LEFT / zoom : this.keep(hereX, this.camera.x, shownAcross, LEFT / zoom, part)) || 0;
    const shownDown = height / rise;
    const all = levels * ROW;
    const room = shownDown - all - above * ROW;
    const y = room >= 24 ? -above * ROW - room / 2 : this.keep(hereY, this.camera.y, shownDown, 40 / rise);
    this.look({ zoom, rise, x, y });
  }

  /** Looks from elsewhere, if it is elsewhere: the camera goes there, so that one sees what has moved. */
  private look(to: Camera): void {
    if (same(to, this.goal ?? this.camera)) {
      return;
    }
    if (!theme.moves || view.running || !this.isSettled) {
      this.isSettled = true;
      this.goal = null;
      this.camera = to;
      return;
    }
    const isMoving = this.goal !== null;
    this.goal = to;
    this.begun = performance.now();
    this.from = this.camera;
    if (!isMoving) {
      requestAnimationFrame(() => this.glide());
    }
  }

  /** One frame on the way to where it looks from next. */
  private glide(): void {
    const { goal, from } = this;
    if (goal === null) {
      return;
    }
    const part = eased(this.begun);
    const between = (a: number, b: number): number => a + (b - a) * part;
    if (part >= 1) {
      this.rest();
      return;
    }
    this.camera = { zoom: between(from.zoom, goal.zoom), rise: between(from.rise, goal.rise), x: between(from.x, goal.x), y: between(from.y, goal.y) };
    requestAnimationFrame(() => this.glide());
  }

  /** What has come since the last picture moves to its place, from the branch that it belongs to. */
  private unfold(): void {
    const begun = performance.now();
    this.fan.begun = begun;
    const frame = (): void => {
      if (this.fan.begun !== begun) {
        return;
      }
      this.unfolded = eased(begun);
      if (this.unfolded < 1) {
        requestAnimationFrame(frame);
      } else {
        this.fan.from = null;
      }
    };
    // It is asked for while a picture is made: what that is made of changes after it.
    queueMicrotask(() => (this.unfolded = 0));
    requestAnimationFrame(frame);
  }

  /** At once to where it was going. */
  rest(): void {
    if (this.goal !== null) {
      this.camera = this.goal;
      this.goal = null;
    }
  }

  /** The camera's place that keeps a point in sight, moved as little as needed. */
  private keep(point: number, from: number, shown: number, margin: number, part = 0.78): number {
    const low = Math.max(-margin, from);
    return point < low + margin * 1.5 || point > low + shown * part ? Math.max(-margin, point - shown * part * 0.77) : low;
  }

  /** Brings a place into sight, moving as little as needed, at a size at which it can be read. */
  reveal(place: Place, offset = 0): void {
    const at = spot(this.ground, place, offset, null);
    if (!at) {
      return;
    }
    const zoom = Math.max(this.camera.zoom, 0.55);
    const rise = Math.max(this.camera.rise, 0.4);
    const [across, down] = [this.size.width / zoom, this.size.height / rise];
    const x = at.x < this.camera.x + 40 || at.x > this.camera.x + across - 90 ? at.x - across * 0.6 : this.camera.x;
    const y = at.y < this.camera.y + 50 || at.y > this.camera.y + down - 30 ? at.y - down / 2 : this.camera.y;
    this.look({ zoom, rise, x: Math.max(-LEFT / zoom, x), y });
  }
}

function same(a: Camera, b: Camera): boolean {
  return a.zoom === b.zoom && a.rise === b.rise && a.x === b.x && a.y === b.y;
}

function along(place: Place): Map<number, number> {
  return new Map(view.multiverse.route(place).map(({ row, to }) => [row, to]));
}

export const stage = new Stage();
