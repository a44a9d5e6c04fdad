// Where suggested futures are drawn: below the visited multiverse, behind the universe that they are futures of.
//
// A path is a row; options that lead to the same rows share what lies before them. Children come after their parents in
// the listing, so nothing recurses.
import type { Brush } from "../drawing";
import type { SuggestionListing } from "../wire/types";
import { ENTRY, ROW } from "./layout";

/** More paths than this are told in the panel, not drawn. */
const MOST_ROWS = 400;

/** An option of an input: a line from the node before it to its own end. */
export interface Edge {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
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
}

export interface Suggested {
  edges: Edge[];
  rows: number;
  width: number;
}

export const NOTHING: Suggested = { edges: [], rows: 0, width: 0 };

const ENDS: Record<string, string> = {
  broke: "breaks",
  returned: "returns",
  trapped: "traps",
  stopped: "stops here",
  inputs: "goes on",
  cut: "not explored further",
};

/** Lays futures out to the right of `x` and below `top`, fanning out from `(x, y)`. */
export function layOutSuggested(listing: SuggestionListing, x: number, y: number, top: number): Suggested {
  const nodes = listing.nodes;
  const depth = new Array<number>(nodes.length).fill(0);
  nodes.forEach((node, at) => {
    for (const option of node.options) {
      depth[option.next] = (depth[at] ?? 0) + 1;
    }
  });
  // The row of a node is that of its first leaf: leaves are counted in the order of options.
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
    for (const option of node.options.slice().reverse()) {
      stack.push(option.next);
    }
  }
  const level = (at: number): number => top + (row[at] ?? 0) * ROW + ROW / 2;
  const edges: Edge[] = [];
  let width = 0;
  nodes.forEach((node, at) => {
    for (const option of node.options) {
      if ((row[option.next] ?? -1) < 0) {
        continue;
      }
      const next = nodes[option.next];
      const found = next?.end == null ? undefined : listing.found[next.end];
      const x1 = x + (depth[option.next] ?? 1) * ENTRY;
      width = Math.max(width, x1 + ENTRY);
      edges.push({
        x0: x1 - ENTRY,
        y0: at === 0 ? y : level(at),
        x1,
        y1: level(option.next),
        set: option.set,
        call: node.call ?? "",
        value: option.value,
        moment: found?.moment ?? option.moment,
        end: found ? (found.reason ? `${ENDS[found.kind] ?? found.kind}: ${found.reason}` : (ENDS[found.kind] ?? found.kind)) : "",
        bad: found?.kind === "trapped" || found?.kind === "broke",
      });
    }
  });
  return { edges, rows, width };
}

/** Draws them dashed: nobody has been there yet. */
export function paintSuggested(brush: Brush, suggested: Suggested): void {
  const { context, palette } = brush;
  const colour = (edge: Edge): string => (edge.bad ? palette.bad : palette.ghost);
  context.save();
  context.lineCap = "butt";
  for (const edge of suggested.edges) {
    brush.line(edge.x0, edge.y0, edge.x0, edge.y1, edge.x1 - 5, edge.y1).stroke(colour(edge), 1.4, [4, 4]);
  }
  context.textBaseline = "bottom";
  for (const edge of suggested.edges) {
    const { x1: x, y1: y } = edge;
    // A diamond: visited places are round.
    brush.polygon(x, y, 5, 4).fill(palette.sheet).stroke(colour(edge), 1.4);
    brush.write(shortened(edge.set), edge.x0 + 8, y - 3, palette.ink, `11px ${palette.mono}`);
    const end = `${edge.bad ? "✕ " : ""}${edge.end}`;
    brush.write(end, x + 10, y + 6, edge.bad ? palette.bad : palette["ink-3"], `11px ${palette.sans}`);
  }
  context.restore();
}

function shortened(text: string): string {
  return text.length > 19 ? `${text.slice(0, 18)}…` : text;
}

/** The option at a point of the drawing. */
export function hitSuggested(suggested: Suggested, x: number, y: number): Edge | null {
  const near = (edge: Edge): boolean => x > edge.x0 + 4 && x < edge.x1 + 8 && Math.abs(y - edge.y1) < ROW * 0.42;
  return suggested.edges.find(near) ?? null;
}
