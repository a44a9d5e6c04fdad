// What came of the branches: a picture of the board at each end, what expressions come to there, and how it is judged.
import { lanes } from "../lanes/rows.svelte";
import { view } from "../state/view.svelte";
import type { BoardView, LeafRow } from "../wire/types";
import type { Tint } from "./paint";

export interface Leaf extends LeafRow {
  picture: BoardView | null;
}

/** How leaves are judged by an expression. */
export const JUDGED = { wrong: "wrong is", right: "right is", painted: "painted by" } as const;
export type Judged = keyof typeof JUDGED;

/** Leaves of an answer, and so many in all: more are told by their ends alone, so that a large multiverse stays smooth. */
const MOST = 400;
const ALL = 2_000;
/** Columns that the page chooses. */
const COLUMNS = 3;

class Leaves {
  /** By the number of the branch. */
  known = $state.raw<ReadonlyMap<number, Leaf>>(new Map());
  /** The expression that judges, and how. */
  paint = $state("");
  judged = $state<Judged>("wrong");
  private asked = 0;

  /** What is told of each: motors first, then what the lanes show. */
  readonly columns = $derived.by((): string[] => {
    const motors = [...lanes.courses.motors.keys()].map((motor) => `motor ${motor}`);
    const boards = [view.board, ...[...this.known.values()].map(({ picture }) => picture)];
    const fromBoard = boards.flatMap((board) => board?.motors ?? []).map(({ motor }) => `motor ${motor}`);
    const changing = lanes.expressions.filter((name) => /^[\w.]+$/.test(name));
    return [...new Set([...motors, ...fromBoard, ...changing])].slice(0, COLUMNS);
  });

  readonly counts = $derived.by(() => {
    const counts = { yes: 0, no: 0, unknown: 0, trapped: 0, limit: 0 };
    for (const { painted, outcome } of this.known.values()) {
      counts[painted === true ? "yes" : painted === false ? "no" : "unknown"]++;
      if (outcome.is === "trapped" || outcome.is === "limit") {
        counts[outcome.is]++;
      }
    }
    return counts;
  });

  /** What is wrong keeps that colour whatever it is painted by; nothing is right before the user said what right is. */
  readonly tints = $derived.by((): ReadonlyMap<number, Tint> => {
    const tints = new Map<number, Tint>();
    for (const [branch, leaf] of this.known) {
      const row = view.multiverse.rowOf(branch);
      const tint = this.tintOf(leaf);
      if (row !== undefined && tint) {
        tints.set(row, tint);
      }
    }
    return tints;
  });

  /** How bands are told apart besides by their ends. */
  readonly sorts = $derived.by((): ReadonlyMap<number, string> => {
    const sorts = new Map<number, string>();
    for (const [branch, { painted, outcome }] of this.known) {
      sorts.set(branch, `${outcome.is}${painted ?? ""}`);
    }
    return sorts;
  });

  tintOf({ painted, outcome }: LeafRow): Tint | null {
    if (outcome.is === "trapped" || outcome.is === "limit") {
      return { colour: "bad", isWrong: true };
    }
    if (painted === null || painted === undefined || this.paint.trim() === "") {
      return null;
    }
    if (this.judged === "painted") {
      return painted ? { colour: "o1", isWrong: false } : null;
    }
    const isWrong = (this.judged === "wrong") === painted;
    return isWrong ? { colour: "bad", isWrong } : this.judged === "right" ? { colour: "ok", isWrong } : null;
  }

  /** Asks for the ends of all branches, a part at a time; what was seen is remembered by the server. */
  async ask(): Promise<void> {
    const turn = ++this.asked;
    const found = new Map<number, Leaf>();
    const paint = this.paint.trim() || null;
    for (let from: number | null = 0; from !== null && from < ALL; ) {
      try {
        const boards = from === 0;
        const told: Awaited<ReturnType<typeof this.part>> = await this.part(from, paint, boards);
        if (turn !== this.asked) {
          return;
        }
        for (const leaf of told.leaves) {
          found.set(leaf.universe.branch, { ...leaf, picture: leaf.board == null ? null : (told.boards[leaf.board] ?? null) });
        }
        this.known = new Map(found);
        from = told.next != null && told.leaves.length > 0 ? told.next : null;
      } catch {
        // A server that is gone, or another program: the next change asks again.
        return;
      }
    }
  }

  private part(from: number, paint: string | null, boards: boolean) {
    return view.ask({ command: "leaves", universes: [], expressions: this.columns, paint, boards, from, most: MOST }, "leaves");
  }
}

export const leaves = new Leaves();
