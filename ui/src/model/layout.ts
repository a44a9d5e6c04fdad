// Where the universes of a graph are drawn: a column for each distance from the start.
import { group, members } from "../groups";

/** A graph as columns. */
export interface Graph {
  /** How many universes there are. */
  nodes: number;
  from: Uint32Array;
  to: Uint32Array;
}

export interface Layout {
  x: Float32Array;
  y: Float32Array;
  width: number;
  height: number;
}

/** Distances between columns and between universes of a column. */
export const STEP = 56;
const GAP = 46;
/** Columns with more universes than this are drawn closer. */
const FULL = 400;

/** Lays out a graph in time proportional to its size. Universes without a way from the start stand in the first column. */
export function layout(graph: Graph): Layout {
  const { nodes, from, to } = graph;
  const leaving = group(from, nodes);
  // Breadth first: children of one universe become neighbours, which keeps most edges short.
  const depth = new Int32Array(nodes).fill(-1);
  const columns: number[] = [];
  const place = new Uint32Array(nodes);
  const queue = new Uint32Array(nodes);
  let head = 0;
  let tail = 0;
  if (nodes > 0) {
    depth[0] = 0;
    queue[tail++] = 0;
  }
  while (head < tail) {
    const node = queue[head++] ?? 0;
    const column = depth[node] ?? 0;
    place[node] = columns[column] ?? 0;
    columns[column] = (columns[column] ?? 0) + 1;
    for (const edge of members(leaving, node)) {
      const child = to[edge] ?? 0;
      if (depth[child] === -1) {
        depth[child] = column + 1;
        queue[tail++] = child;
      }
    }
  }
  const fullest = columns.reduce((most, count) => Math.max(most, count), 1);
  const height = Math.min(fullest, FULL) * GAP;
  const x = new Float32Array(nodes);
  const y = new Float32Array(nodes);
  for (let node = 0; node < nodes; node++) {
    const column = Math.max(0, depth[node] ?? 0);
    const count = columns[column] ?? 1;
    const gap = Math.min(GAP, height / count);
    x[node] = column * STEP;
    y[node] = (height - gap * (count - 1)) / 2 + gap * (place[node] ?? 0);
  }
  return { x, y, width: (Math.max(1, columns.length) - 1) * STEP, height };
}

/** The universe nearest to a point, within a radius. */
export function nearest(layout: Layout, px: number, py: number, radius: number): number | null {
  let best: number | null = null;
  let distance = radius * radius;
  for (let node = 0; node < layout.x.length; node++) {
    const dx = (layout.x[node] ?? 0) - px;
    const dy = (layout.y[node] ?? 0) - py;
    const d = dx * dx + dy * dy;
    if (d <= distance) {
      distance = d;
      best = node;
    }
  }
  return best;
}

/** The edge nearest to a point, within a radius; only edges with an end near the point's columns are looked at. */
export function nearestEdge(graph: Graph, layout: Layout, px: number, py: number, radius: number): number | null {
  let best: number | null = null;
  let distance = radius;
  for (let edge = 0; edge < graph.from.length; edge++) {
    const a = graph.from[edge] ?? 0;
    const b = graph.to[edge] ?? 0;
    const ax = layout.x[a] ?? 0;
    const ay = layout.y[a] ?? 0;
    const bx = layout.x[b] ?? 0;
    const by = layout.y[b] ?? 0;
    if (Math.min(ax, bx) > px + radius || Math.max(ax, bx) < px - radius) {
      continue;
    }
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length));
    const d = Math.hypot(ax + t * (bx - ax) - px, ay + t * (by - ay) - py);
    if (d < distance) {
      distance = d;
      best = edge;
    }
  }
  return best;
}
