// The multiverse's model and layout, without a browser.
import { describe, expect, test } from "vitest";
import { layOut, NO_WISHES, segmentOf, xOf, ENTRY, FOLDED } from "../src/tree/layout";
import { Multiverse } from "../src/tree/model";
import { density, stepAt, xAt } from "../src/time/scale";
import type { BranchesFrame } from "../src/wire/frames";

/** Branches as [branch, parent, fork, tip]. */
function multiverse(rows: [number, number, number, number][]): Multiverse {
  const model = new Multiverse();
  const column = (at: number) => Uint32Array.from(rows.map((row) => row[at] ?? 0));
  const frame: BranchesFrame = {
    header: { frame: "branches", number: 1, fresh: true, count: rows.length, words: [] },
    begins: new Float64Array(rows.length),
    reached: Float64Array.from(rows.map((row) => row[3] * 10)),
    branch: column(0),
    parent: column(1),
    fork: column(2),
    tip: column(3),
    end: new Uint32Array(rows.length),
  };
  model.apply(frame);
  return model;
}

describe("model", () => {
  const model = multiverse([
    [0, 0, 0, 10],
    [1, 0, 4, 6],
    [2, 1, 5, 9],
  ]);

  test("routes lead from the start to a place", () => {
    expect(model.route({ branch: 2, index: 7 })).toEqual([
      { row: 0, to: 4 },
      { row: 1, to: 5 },
      { row: 2, to: 7 },
    ]);
  });

  test("a place belongs to the branch that owns its last entry", () => {
    expect(model.canonical({ branch: 2, index: 5 })).toEqual({ branch: 1, index: 5 });
    expect(model.canonical({ branch: 2, index: 3 })).toEqual({ branch: 0, index: 3 });
  });

  test("paths part at their join", () => {
    expect(model.join({ branch: 2, index: 9 }, { branch: 0, index: 8 })).toEqual({ branch: 0, index: 4 });
    expect(model.join({ branch: 2, index: 9 }, { branch: 1, index: 6 })).toEqual({ branch: 1, index: 5 });
  });
});

describe("layout", () => {
  /** A tree of random forks, always the same for a seed. */
  function random(seed: number, branches: number): Multiverse {
    let state = seed;
    const next = (below: number) => {
      state = (state * 1103515245 + 12345) & 0x7fffffff;
      return state % below;
    };
    const rows: [number, number, number, number][] = [[0, 0, 0, 20]];
    for (let id = 1; id < branches; id++) {
      const parent = rows[next(rows.length)] ?? [0, 0, 0, 20];
      const fork = parent[2] + next(parent[3] - parent[2] + 1);
      rows.push([id, parent[0], Math.max(fork, parent[0] === 0 ? 0 : parent[2] + 1), 0]);
      const row = rows[id];
      if (row) {
        row[3] = row[2] + 1 + next(12);
      }
    }
    return multiverse(rows);
  }

  test("no two branches lie on one another, and no fork's line crosses one", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const model = random(seed, 60);
      const layout = layOut(model, NO_WISHES);
      for (let a = 0; a < model.count; a++) {
        for (let b = 0; b < model.count; b++) {
          const [x0, x1] = [layout.x0[b] ?? 0, layout.x1[b] ?? 0];
          if (a !== b && layout.y[a] === layout.y[b]) {
            const apart = (layout.x1[a] ?? 0) <= x0 || x1 <= (layout.x0[a] ?? 0);
            expect(apart, `seed ${seed}: rows ${a} and ${b}`).toBe(true);
          }
          const parent = model.parentRow(a);
          if (a !== b && parent !== undefined && b !== parent) {
            const at = layout.x0[a] ?? 0;
            const between = (layout.y[b] ?? 0) > (layout.y[parent] ?? 0) && (layout.y[b] ?? 0) < (layout.y[a] ?? 0);
            expect(between && x0 < at && at < x1, `seed ${seed}: the fork of ${a} crosses ${b}`).toBe(false);
          }
        }
      }
    }
  });

  test("long runs are folded, and unfold to their length", () => {
    const model = multiverse([[0, 0, 0, 1000]]);
    const folded = layOut(model, NO_WISHES);
    expect(folded.x1[0]).toBe(FOLDED);
    const unfolded = layOut(model, { ...NO_WISHES, unfolded: new Set(["0.0"]) });
    expect(unfolded.x1[0]).toBe(1000 * ENTRY);
    expect(xOf(model, unfolded, 0, 500)).toBe(500 * ENTRY);
    expect(segmentOf(unfolded, 0, 500)).toBe(0);
  });

  test("what is pointed at can be seen", () => {
    const model = multiverse([[0, 0, 0, 1000]]);
    const layout = layOut(model, { ...NO_WISHES, pins: [{ branch: 0, index: 500 }] });
    const segment = segmentOf(layout, 0, 500);
    expect(layout.folded[segment]).toBe(0);
    expect(layout.to[segment]).toBe(500);
  });

  test("hidden branches take no room", () => {
    const model = multiverse([
      [0, 0, 0, 10],
      [1, 0, 4, 6],
      [2, 1, 5, 9],
    ]);
    const layout = layOut(model, { ...NO_WISHES, collapsed: new Set([0]) });
    expect(layout.rows).toBe(1);
    expect(layout.hidden[0]).toBe(1);
    expect(layout.y[2]).toBe(-1);
  });

  test("a deep chain of forks does not overflow", () => {
    const rows: [number, number, number, number][] = [[0, 0, 0, 1]];
    for (let id = 1; id < 20_000; id++) {
      rows.push([id, id - 1, id, id + 1]);
    }
    expect(layOut(multiverse(rows), NO_WISHES).rows).toBeGreaterThan(1);
  });
});

describe("timeline", () => {
  test("steps and pixels are each other's inverse at the ends", () => {
    expect(stepAt(xAt(1000, 1000, 640), 1000, 640)).toBe(1000);
    expect(stepAt(-5, 1000, 640)).toBe(0);
    expect(xAt(5, 0, 640)).toBe(0);
  });

  test("every entry is counted once", () => {
    const lanes = density(Float64Array.from([0, 5, 10, 10]), Uint8Array.from([0, 1, 2, 0]), 10, 100);
    expect(lanes.map((lane) => lane.reduce((a, b) => a + b, 0))).toEqual([2, 1, 1]);
  });
});
