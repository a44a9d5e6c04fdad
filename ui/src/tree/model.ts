// The multiverse as the server tells it: columns of branches. A parent's row comes before its children's.
import { group, type Groups } from "../groups";
import type { BranchesFrame } from "../wire/frames";

/** A universe right after an entry: the place after the first `index` entries of a path that ends on `branch`. */
export interface Place {
  branch: number;
  index: number;
}

export const OPEN = 0;
export const FINISHED = 1;
export const TRAPPED = 2;

/** Columns of whole numbers, named as in the frame. */
const COLUMNS = ["branch", "parent", "fork", "tip", "end"] as const;

export class Multiverse {
  /** Changes with every change. */
  revision = 0;
  count = 0;
  branch = new Uint32Array(16);
  parent = new Uint32Array(16);
  fork = new Uint32Array(16);
  tip = new Uint32Array(16);
  end = new Uint32Array(16);
  reached = new Float64Array(16);
  readonly words = new Map<number, string>();
  /** From which index on how many of the merged recordings took a branch. */
  private readonly runs = new Map<number, [number, number][]>();
  private readonly rows = new Map<number, number>();
  private known: { revision: number; children: Groups } | null = null;

  /** Takes in what has changed. */
  apply(frame: BranchesFrame): void {
    if (frame.header.fresh) {
      this.count = 0;
      this.rows.clear();
      this.words.clear();
      this.runs.clear();
    }
    this.reserve(this.count + frame.header.count);
    for (let n = 0; n < frame.header.count; n++) {
      const id = frame.branch[n] ?? 0;
      let row = this.rows.get(id);
      if (row === undefined) {
        row = this.count++;
        this.rows.set(id, row);
      }
      for (const column of COLUMNS) {
        this[column][row] = frame[column][n] ?? 0;
      }
      this.reached[row] = frame.reached[n] ?? 0;
    }
    for (const [id, text] of frame.header.words) {
      this.words.set(id, text);
    }
    for (const [id, runs] of frame.header.runs) {
      this.runs.set(id, runs);
    }
    this.revision++;
  }

  rowOf(branch: number): number | undefined {
    return this.rows.get(branch);
  }

  /** The row of the branch that it leaves; none for the first. */
  parentRow(row: number): number | undefined {
    return row === 0 ? undefined : this.rows.get(this.parent[row] ?? 0);
  }

  /** How many recordings were merged into it. */
  get recordings(): number {
    return this.runs.get(this.branch[0] ?? 0)?.[0]?.[1] ?? 0;
  }

  /** From which index on how many recordings took a row; of one that was added since, none did. */
  along(row: number): [number, number][] {
    return this.runs.get(this.branch[row] ?? 0) ?? [[this.fork[row] ?? 0, 0]];
  }

  /** How many recordings took the entry before an index of a row; all are at the start. */
  taken(row: number, index: number): number {
    const along = this.along(row);
    return (along.filter(([from]) => from < index).at(-1) ?? along[0])?.[1] ?? 0;
  }

  /** The branches that leave each row. */
  children(): Groups {
    if (this.known?.revision !== this.revision) {
      const parents = new Int32Array(this.count).map((_, row) => this.parentRow(row) ?? -1);
      this.known = { revision: this.revision, children: group(parents, this.count) };
    }
    return this.known.children;
  }

  /** The place whose branch owns the last entry before it. */
  canonical(place: Place): Place {
    let row = this.rows.get(place.branch);
    while (row !== undefined && row !== 0 && place.index <= (this.fork[row] ?? 0)) {
      row = this.parentRow(row);
    }
    return { branch: row === undefined ? place.branch : (this.branch[row] ?? 0), index: place.index };
  }

  /** The way from the start: rows with the index up to which each is followed, the first branch first. */
  route(place: Place): { row: number; to: number }[] {
    const route: { row: number; to: number }[] = [];
    let row = this.rows.get(this.canonical(place).branch);
    let to = place.index;
    while (row !== undefined) {
      route.push({ row, to });
      to = this.fork[row] ?? 0;
      row = this.parentRow(row);
    }
    return route.reverse();
  }

  /** Where two paths part. */
  join(a: Place, b: Place): Place {
    const left = this.route(a);
    const right = this.route(b);
    let join: Place = { branch: this.branch[0] ?? 0, index: 0 };
    for (let n = 0; n < Math.min(left.length, right.length); n++) {
      const [l, r] = [left[n], right[n]];
      if (!l || !r || l.row !== r.row) {
        break;
      }
      join = { branch: this.branch[l.row] ?? 0, index: Math.min(l.to, r.to) };
    }
    return join;
  }

  private reserve(count: number): void {
    if (count <= this.branch.length) {
      return;
    }
    const size = Math.max(count, this.branch.length * 2);
    const grown = <T extends Uint32Array | Float64Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    for (const column of COLUMNS) {
      this[column] = grown(new Uint32Array(size), this[column]);
    }
    this.reached = grown(new Float64Array(size), this.reached);
  }
}

export function samePlace(a: Place, b: Place): boolean {
  return a.branch === b.branch && a.index === b.index;
}
