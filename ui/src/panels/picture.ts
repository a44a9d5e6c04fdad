// Draws the states of a device program: a disc for each, coloured by the value of an expression, and the ways between them.
import type { Brush, Pen } from "../drawing";
import { APART, members, read, spot, visible, type Look, type Point, type States } from "../model/states";
import type { PictureWay, StateKind, StatesPicture } from "../wire/types";

/** Values that have a colour of their own in the legend. */
export const MOST_VALUES = 12;
/** From this distance on, ways are named. */
const NAMED = 30;
/** Ways of more states than these are drawn when one is near. */
const MOST_WAYS = 20_000;
/** The status by which `States` tells ends apart. */
const STATUS: Record<StateKind, number> = { state: 0, moment: 0, open: 2, returned: 4, trap: 5 };

export interface Drawn {
  states: States;
  picture: StatesPicture;
  /** The values of the expression, the most frequent first. */
  values: string[];
  /** The ways that leave a state, by its number. */
  leaving: PictureWay[][];
}

export function drawn(picture: StatesPicture): Drawn {
  const count = picture.states.length;
  const states = read({
    header: { count, edges: picture.edges, complete: picture.complete } as Parameters<typeof read>[0]["header"],
    depth: Uint32Array.from(picture.states, (state) => state.row),
    status: Uint8Array.from(picture.states, (state) => STATUS[state.kind]),
  });
  const times = new Map<string, number>();
  for (const { values } of picture.states) {
    if (values !== null && values !== undefined) {
      times.set(values, (times.get(values) ?? 0) + 1);
    }
  }
  const leaving: PictureWay[][] = picture.states.map(() => []);
  picture.ways.forEach((way) => leaving[way.from]?.push(way));
  return { states, picture, values: [...times].sort(([, a], [, b]) => b - a).map(([value]) => value), leaving };
}

/** The colour of a value: hues far apart for neighbours, grey for what has none. */
export function colourOf(values: string[], value: string | null | undefined, dark: boolean): string | null {
  const at = value === null || value === undefined ? -1 : values.indexOf(value);
  return at < 0 ? null : `hsl(${(at * 137 + 210) % 360} 62% ${dark ? 62 : 42}%)`;
}

export interface Shown {
  look: Look;
  /** Where the user is, if that is one of the states. */
  here: number | null;
  chosen: number | null;
  dark: boolean;
}

export function paint(brush: Brush, { states, picture, values, leaving }: Drawn, shown: Shown): void {
  const { palette, width, height } = brush;
  const { look, here, chosen, dark } = shown;
  const place = (state: number): Point => spot(states, look, state, height);
  const seen = visible(states, look, width, height).flatMap((part) => [...members(states, part)]);
  const radius = Math.max(1, Math.min(10, look.gap * 0.3, look.step * 0.3));
  if (look.gap >= APART || picture.ways.length <= MOST_WAYS) {
    stroke(brush, seen.flatMap((state) => leaving[state] ?? []), place, radius, palette.line, 1);
  }
  const ways = chosen === null ? [] : (leaving[chosen] ?? []);
  stroke(brush, ways, place, radius, palette.accent, 2);
  if (look.gap >= NAMED && look.step >= NAMED) {
    const named = chosen === null && seen.length <= 12 ? seen.flatMap((state) => leaving[state] ?? []) : ways;
    named.forEach((way, nth) => label(brush, way, place, nth));
  }
  for (const state of seen) {
    const known = picture.states[state];
    const { x, y } = place(state);
    if (known?.kind === "trap" || known?.kind === "returned") {
      brush.square(x, y, radius);
    } else {
      brush.disc(x, y, known?.kind === "moment" ? radius * 0.6 : radius);
    }
    const plain = known?.kind === "open" ? palette.line : palette.wire;
    brush.fill(known?.kind === "trap" ? palette.bad : (colourOf(values, known?.values, dark) ?? plain));
  }
  for (const [state, colour] of [[chosen, palette.ghost], [here, palette.accent]] as const) {
    if (state !== null) {
      const { x, y } = place(state);
      brush.disc(x, y, radius + 4).stroke(colour, 3);
    }
  }
}

/** Ways; dashed are those that only some of a state's values take. */
function stroke(brush: Brush, ways: PictureWay[], place: (state: number) => Point, radius: number, colour: string, width: number): void {
  for (const partial of [false, true]) {
    brush.context.beginPath();
    ways.filter((way) => way.partial === partial).forEach((way) => trace(brush.context, place(way.from), place(way.to), radius));
    brush.stroke(colour, width, partial ? [5, 4] : []);
  }
}

/** A way: straight to the next column, bent where it goes back or stays. */
function trace(context: Pen, a: Point, b: Point, radius: number): void {
  context.moveTo(a.x, a.y);
  if (a.x === b.x && a.y === b.y) {
    context.ellipse(a.x, a.y - radius - 5, 5, 7, 0, Math.PI / 2, 2.5 * Math.PI);
  } else if (b.x > a.x) {
    context.lineTo(b.x, b.y);
  } else {
    const bend = Math.min(60, 14 + Math.abs(a.x - b.x) * 0.3);
    context.quadraticCurveTo((a.x + b.x) / 2, Math.min(a.y, b.y) - bend, b.x, b.y);
  }
}

/** The values that take a way, beside it: several of one state stand one below the other. */
function label(brush: Brush, way: PictureWay, place: (state: number) => Point, nth: number): void {
  const { context, palette } = brush;
  const values = brief(way.label);
  if (values === "") {
    return;
  }
  const [a, b] = [place(way.from), place(way.to)];
  const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2 - (b.x <= a.x ? 26 : 0) + ((nth % 3) - 1) * 11];
  context.font = `11px ${palette.mono}`;
  const width = context.measureText(values).width;
  context.fillStyle = palette.sheet;
  context.fillRect(x - width / 2 - 2, y - 8, width + 4, 12);
  brush.write(values, x, y + 2, palette["ink-3"], context.font, "center");
}

/** The set of values alone, as short as it can be; nothing where none is read. */
export function brief(label: string): string {
  const values = label.split(" = ")[1] ?? "";
  return values.length > 14 ? `${values.slice(0, 13)}…` : values;
}
