// Where suggested futures are drawn: fanned out behind the universe that they are futures of.
//
// A path is a row; options that lead to the same rows share what lies before them. Children come after their parents in
// the listing, so nothing recurses. Where nothing has branched yet, the rows lie around the user's own; else below all.
import type { Brush } from "../drawing";
import type { BoardView, SuggestionListing } from "../wire/types";
import { hasPicture, thumb, withDial } from "../board/thumb";
import { readsColours, worded } from "../board/words";
import { ENTRY, ROW } from "./layout";
import { elided, type Label } from "./labels";

/** More paths than this are told in the panel, not drawn. */
const MOST_ROWS = 400;
const TURN = 11;
/** Height of a board's picture. */
const PICTURE = 36;

/** An option of an input: a line from the node before it to its own end. */
export interface Edge {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  depth: number;
  /** The values that take it. */
  set: string;
  /** What the input is called. */
  call: string;
  value: string;
  /** The universe it leads to. */
  moment: string;
  /** How the path ends here; nothing if another input follows. */
  end: string;
  bad: boolean;
  /** The board there, where an end was told with it. */
  picture: BoardView | null;
}

export interface Suggested {
  edges: Edge[];
  /** Where the input is read whose values these are, behind the universe that was asked from. */
  root: { x0: number; x: number; y: number; call: string } | null;
  rows: number;
  width: number;
  /** Levels that are needed above the first row, and down to where. */
  above: number;
  bottom: number;
}

export const NOTHING: Suggested = { edges: [], root: null, rows: 0, width: 0, above: 0, bottom: 0 };

const ENDS: Record<string, string> = {
  broke: "breaks",
  returned: "returns",
  trapped: "traps",
  stopped: "stops here",
  inputs: "goes on",
  cut: "not explored further",
};

type Option = SuggestionListing["nodes"][number]["options"][number];

/** Options by their least value; those that are no numbers after them, in their order. */
function sorted(options: readonly Option[]): Option[] {
  const least = ({ set }: Option): number => (/^-?\d/.test(set) ? Number.parseFloat(set) : Infinity);
  return options.slice().sort((a, b) => (least(a) === least(b) ? 0 : least(a) - least(b)));
}

/** The row of each node: that of its first leaf. Leaves are counted in the order of options. */
function rowsOf(nodes: SuggestionListing["nodes"]): { row: number[]; rows: number } {
  const row = new Array<number>(nodes.length).fill(-1);
  const stack = [0];
  let rows = 0;
  while (stack.length > 0 && rows < MOST_ROWS) {
    const at = stack.pop() ?? 0;
    const node = nodes[at];
    if (!node) {
      continue;
    }
    row[at] = rows;
    if (node.options.length === 0) {
      rows++;
    }
    for (const option of sorted(node.options).reverse()) {
      stack.push(option.next);
    }
  }
  return { row, rows };
}

/** Lays futures out to the right of `(x, y)`, where the multiverse has so many levels. */
export function layOutSuggested(listing: SuggestionListing, x: number, y: number, levels: number): Suggested {
  const nodes = listing.nodes;
  const depth = new Array<number>(nodes.length).fill(0);
  nodes.forEach((node, at) => {
    for (const option of node.options) {
      depth[option.next] = (depth[at] ?? 0) + 1;
    }
  });
  const { row, rows } = rowsOf(nodes);
  const isAlone = levels <= 1;
  // A few have room to stand apart.
  const gap = isAlone && rows <= 4 ? ROW * 1.75 : ROW;
  const length = ENTRY * (isAlone ? 1.9 : 1.4);
  const top = isAlone ? y - ((rows - 1) * gap) / 2 : levels * ROW + ROW / 2;
  const level = (at: number): number => top + (row[at] ?? 0) * gap;
  const call = nodes[0]?.call ?? "";
  const root = call === "" ? null : { x0: x, x: x + ENTRY * 0.85, y, call };
  const begin = root?.x ?? x;
  const hasDial = listing.found.some(({ board }) => (board?.motors.length ?? 0) > 0);
  const pictureOf = (board: BoardView): BoardView | null => {
    const shown = hasDial ? withDial(board) : board;
    return hasPicture(shown) ? shown : null;
  };
  const edges: Edge[] = [];
  let width = 0;
  nodes.forEach((node, at) => {
    for (const option of node.options) {
      if ((row[option.next] ?? -1) < 0) {
        continue;
      }
      const next = nodes[option.next];
      const found = next?.end == null ? undefined : listing.found[next.end];
      const deep = depth[option.next] ?? 1;
      const x1 = begin + deep * length;
      width = Math.max(width, x1 + ENTRY);
      const reason = found?.reason ? `: ${found.reason}` : "";
      edges.push({
        x0: x1 - length,
        y0: at === 0 ? y : level(at),
        x1,
        y1: level(option.next),
        depth: deep,
        set: option.set,
        call: node.call ?? "",
        value: option.value,
        moment: found?.moment ?? option.moment,
        end: found ? `${ENDS[found.kind] ?? found.kind}${reason}` : "",
        bad: found?.kind === "trapped" || found?.kind === "broke",
        picture: found?.board ? pictureOf(found.board) : null,
      });
    }
  });
  const highest = edges.reduce((least, edge) => Math.min(least, edge.y1), y);
  return { edges, root, rows, width, above: Math.max(0, Math.ceil((ROW / 2 - highest) / ROW)), bottom: Math.ceil((top + rows * gap) / ROW) };
}

/** Futures on their way out of the universe that they are futures of: at 0 all lie on one line, at 1 where they belong. */
export function unfolding(suggested: Suggested, part: number): Suggested {
  const { root, edges } = suggested;
  const y = root?.y ?? edges[0]?.y0;
  if (part >= 1 || y === undefined) {
    return suggested;
  }
  const near = (there: number): number => y + (there - y) * part;
  return { ...suggested, edges: edges.map((edge) => ({ ...edge, y0: near(edge.y0), y1: near(edge.y1) })) };
}

/** Draws them dashed and without dots: nobody has been there yet. Their words are placed with those of the tree. */
export function paintSuggested(brush: Brush, suggested: Suggested, sx: (x: number) => number, sy: (y: number) => number): Label[] {
  const { context, palette } = brush;
  const labels: Label[] = [];
  context.save();
  context.lineCap = "butt";
  const { root } = suggested;
  if (root) {
    const [x0, x, y] = [sx(root.x0), sx(root.x), sy(root.y)];
    brush.line(x0 + 7, y, x - 8, y).stroke(palette.ghost, 2, [5, 5]);
    brush.disc(x, y, 8).stroke(palette.ghost, 2);
    brush.write("?", x, y + 4, palette.accent, `600 11px ${palette.sans}`, "center");
    labels.push({ text: elided(root.call.replace(/^chip_/, ""), 20), x: x + 4, y: y - 15, align: "right", font: `11px ${palette.mono}`, colour: palette["ink-3"], rank: 2, else: [[-20, 34], [-60, 0]] });
  }
  for (const edge of suggested.edges) {
    const colour = edge.bad ? palette.bad : palette.ghost;
    const [x0, y0, x1, y1] = [sx(edge.x0), sy(edge.y0), sx(edge.x1), sy(edge.y1)];
    if (x0 > brush.width || x1 < 0 || Math.max(y0, y1) < 0 || Math.min(y0, y1) > brush.height) {
      continue;
    }
    const down = Math.sign(y1 - y0);
    const turn = Math.min(TURN, Math.abs(y1 - y0) / 2);
    const stem = x0 + TURN * 1.5;
    context.beginPath();
    context.moveTo(x0 + (edge.depth === 1 && root ? 8 : 7), y0);
    context.lineTo(stem - turn, y0);
    context.quadraticCurveTo(stem, y0, stem, y0 + down * turn);
    context.lineTo(stem, y1 - down * turn);
    context.quadraticCurveTo(stem, y1, stem + turn, y1);
    context.lineTo(x1 - 6, y1);
    // Further ones are thinner: they are further from being so.
    brush.stroke(colour, edge.depth === 1 ? 2 : 1.4, edge.depth === 1 ? [5, 5] : [2, 4]);
    if (edge.end !== "" && edge.bad) {
      brush.polygon(x1, y1, 6.5, 6).fill(palette.sheet).stroke(colour, 1.8);
    }
    if (edge.picture) {
      thumb(brush, edge.picture, x1 + PICTURE / 2 + 8, y1, PICTURE / 2 - 2, edge.bad ? palette.bad : palette.ink);
    }
    const { text, swatches } = pictured(edge);
    context.font = `600 11px ${palette.mono}`;
    const after = stem + turn + 26 + context.measureText(elided(text, 22)).width;
    swatches.forEach((swatch, n) => {
      context.beginPath();
      context.roundRect(after + n * 12, y1 - 21, 9, 12, 2.5);
      brush.fill(swatch).stroke(palette["part-line"], 1);
    });
    labels.push({ text: elided(text, 22), x: stem + turn + 12, y: y1 - 11, align: "left", font: `600 11px ${palette.mono}`, colour: edge.bad ? palette.bad : palette.accent, rank: 1, pill: { fill: palette["ghost-soft"], edge: palette["accent-line"] }, else: [[0, 26]] });
    if (edge.picture && edge.set !== edge.value) {
      // The board is that of one of the values.
      labels.push({ text: `with ${edge.value}`, x: x1 + PICTURE + 16, y: y1 + (edge.end === "goes on" ? 4 : 18), align: "left", font: `11px ${palette.sans}`, colour: palette["ink-3"], rank: 4 });
    }
    if (edge.end !== "" && edge.end !== "goes on") {
      labels.push({ text: elided(edge.end, 44), x: x1 + 10 + (edge.picture ? PICTURE + 6 : 0), y: y1 + 4, align: "left", font: `11px ${palette.sans}`, colour: edge.bad ? palette.bad : palette["ink-3"], rank: 2 });
    }
  }
  context.restore();
  return labels;
}

/** A set of values in words and in the sensor's own pictures. */
function pictured(edge: Edge): { text: string; swatches: string[] } {
  const [low = NaN, high = low] = edge.set.split("..").map(Number);
  if ( !readsColours(edge.call) || Number.isNaN(low) || high > 7) {
    return { text: edge.set, swatches: [] };
  }
  const values = Array.from({ length: high - low + 1 }, (_, n) => worded(edge.call, String(low + n)));
  return { text: low === high ? (values[0]?.text ?? "") : edge.set, swatches: values.flatMap(({ swatch }) => swatch ?? []) };
}

/** The option at a point of the drawing. */
export function hitSuggested(suggested: Suggested, x: number, y: number): Edge | null {
  const near = (edge: Edge): boolean => x > edge.x0 + 4 && x < edge.x1 + 12 && Math.abs(y - edge.y1) < ROW * 0.42;
  return suggested.edges.find(near) ?? null;
}
