// The multiverse as rows of a tree: the first branch, and under each universe the branches that leave it.
//
// A branch has all its universes as rows below it, one beside the other and not one inside the other: a run of a thousand
// entries is a list, and only choices are indented.

/** A branch: it leaves `parent` after `fork` entries, and has those from there up to `tip`. */
export interface Branch {
  id: number;
  parent: number;
  fork: number;
  tip: number;
  end: string;
}

/** An entry: what led from a universe to the next. */
export interface Entry {
  text: string;
  kind: "input" | "output" | "event" | "step";
  mocked: boolean;
}

/** Where branches and entries come from. */
export interface Multiverse {
  branches: Branch[];
  entries(branch: number, from: number, count: number): Promise<Entry[]>;
  /** What 'jump' calls a universe: that of a branch after so many entries. */
  name(branch: number, index: number): string;
  /** The branch and index of the universe with a name that 'borges/place' tells. */
  find(universe: string): { branch: number; index: number } | undefined;
}

export type Row =
  | { is: "start"; id: string }
  | { is: "branch"; id: string; branch: Branch; first: Entry | undefined }
  | { is: "slice"; id: string; branch: Branch; from: number; to: number }
  | { is: "entry"; id: string; branch: number; index: number; entry: Entry }
  | { is: "end"; id: string; branch: Branch };

/** Rows of entries that are shown without asking for more. */
export const SLICE = 200;

export class Rows {
  private readonly children = new Map<number, Branch[]>();
  private readonly parents = new Map<string, Row | undefined>();

  /** `made` are the rows of the multiverse as it was before: what stays keeps its object, by which the editor knows it. */
  constructor(
    readonly multiverse: Multiverse,
    private readonly made = new Map<string, Row>(),
  ) {
    for (const branch of multiverse.branches) {
      if (branch.id !== branch.parent) {
        this.children.set(branch.parent, [...(this.children.get(branch.parent) ?? []), branch]);
      }
    }
  }

  async roots(): Promise<Row[]> {
    const first = this.multiverse.branches.find((branch) => branch.id === branch.parent);
    if (first === undefined) {
      return [];
    }
    return [this.row({ is: "start", id: "start" }, undefined), ...(await this.along(first, undefined))];
  }

  async below(row: Row): Promise<Row[]> {
    switch (row.is) {
      case "start":
        return this.leaving(0, 0, row);
      case "branch":
        return this.along(row.branch, row);
      case "slice":
        return this.entries(row.branch, row.from, row.to, row);
      case "entry":
        return this.leaving(row.branch, row.index, row);
      case "end":
        return [];
    }
  }

  /** Whether branches leave a universe. */
  isFork(branch: number, index: number): boolean {
    return (this.children.get(branch) ?? []).some((child) => child.fork === index);
  }

  above(row: Row): Row | undefined {
    return this.parents.get(row.id);
  }

  /** The row of a universe; rows on the way to it are made if nobody has looked at them. */
  async find(universe: string): Promise<Row | undefined> {
    const at = this.multiverse.find(universe);
    if (at === undefined) {
      return undefined;
    }
    const { branch, index } = at;
    const lineage: Branch[] = [];
    let next = this.multiverse.branches.find((one) => one.id === branch);
    while (next !== undefined && next.id !== next.parent) {
      lineage.unshift(next);
      const { parent } = next;
      next = this.multiverse.branches.find((one) => one.id === parent);
    }
    await this.show(await this.roots(), lineage[0]?.fork ?? index);
    for (const [depth, one] of lineage.entries()) {
      const fork = this.made.get(rowId(one.parent, one.fork));
      if (fork === undefined) {
        return undefined;
      }
      await this.below(fork);
      const row = this.made.get(`branch ${one.id}`);
      if (row !== undefined) {
        await this.show(await this.below(row), lineage[depth + 1]?.fork ?? index);
      }
    }
    const row = this.made.get(rowId(branch, index));
    return row !== undefined && this.parents.has(row.id) ? row : undefined;
  }

  /** The next state of the multiverse, in the same rows. */
  grown(multiverse: Multiverse): Rows {
    return new Rows(multiverse, this.made);
  }

  /** Makes the entries of the slice in which an index is. */
  private async show(rows: Row[], index: number): Promise<void> {
    const slice = rows.find((row) => row.is === "slice" && row.from < index && index <= row.to);
    if (slice !== undefined) {
      await this.below(slice);
    }
  }

  private async along(branch: Branch, parent: Row | undefined): Promise<Row[]> {
    const from = branch.id === branch.parent ? 0 : branch.fork;
    const rows: Row[] = [];
    if (branch.tip - from <= SLICE) {
      rows.push(...(await this.entries(branch, from, branch.tip, parent)));
    } else {
      for (let at = from; at < branch.tip; at += SLICE) {
        const to = Math.min(at + SLICE, branch.tip);
        rows.push(this.row({ is: "slice", id: `slice ${branch.id} ${at}`, branch, from: at, to }, parent));
      }
    }
    rows.push(this.row({ is: "end", id: `end ${branch.id}`, branch }, parent));
    return rows;
  }

  private async entries(branch: Branch, from: number, to: number, parent: Row | undefined): Promise<Row[]> {
    if (to <= from) {
      return [];
    }
    const entries = await this.multiverse.entries(branch.id, from, to - from);
    return entries.map((entry, at) => {
      const index = from + at + 1;
      return this.row({ is: "entry", id: rowId(branch.id, index), branch: branch.id, index, entry }, parent);
    });
  }

  private async leaving(branch: number, index: number, parent: Row): Promise<Row[]> {
    const leaving = (this.children.get(branch) ?? []).filter((child) => child.fork === index);
    const rows = leaving.map(async (child): Promise<Row> => {
      const first = (await this.multiverse.entries(child.id, child.fork, 1))[0];
      return this.row({ is: "branch", id: `branch ${child.id}`, branch: child, first }, parent);
    });
    return Promise.all(rows);
  }

  private row(row: Row, parent: Row | undefined): Row {
    const known = this.made.get(row.id);
    const made = known === undefined ? row : Object.assign(known, row);
    this.made.set(row.id, made);
    this.parents.set(row.id, parent);
    return made;
  }
}

function rowId(branch: number, index: number): string {
  return index === 0 ? "start" : `${branch}.${index}`;
}
