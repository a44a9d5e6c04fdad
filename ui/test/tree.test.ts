// The multiverse's model and layout, without a browser.
import { describe, expect, test } from "vitest";
import { layOut, NO_WISHES, segmentOf, xOf, ENTRY, FOLDED, foldedWidth } from "../src/tree/layout";
import { Multiverse } from "../src/tree/model";
import { takenAt, widthOf } from "../src/tree/taken";
import { axisOf, entriesBefore, stepOfX, xOfStep } from "../src/time/axis";
import type { BranchesFrame } from "../src/wire/frames";

/** Branches as [branch, parent, fork, tip]. */
function multiverse(rows: [number, number, number, number][], runs: [number, [number, number][]][] = []): Multiverse {
  const model = new Multiverse();
  const column = (at: number) => Uint32Array.from(rows.map((row) => row[at] ?? 0));
  const frame: BranchesFrame = {
    header: { frame: "branches", number: 1, fresh: true, count: rows.length, words: [], runs },
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

describe("recordings", () => {
  const branches: [number, number, number, number][] = [
    [0, 0, 0, 10],
    [1, 0, 4, 6],
    [2, 1, 5, 9],
    [3, 0, 7, 8],
  ];
  const model = multiverse(branches, [
    [0, [[0, 1000], [4, 970], [10, 0]]],
    [1, [[4, 30], [5, 13]]],
    [2, [[5, 17], [8, 1], [9, 0]]],
  ]);

  test("are counted on each part of a branch", () => {
    expect(model.recordings).toBe(1000);
    expect([1, 4, 5, 10].map((index) => model.taken(0, index))).toEqual([1000, 1000, 970, 970]);
    expect([5, 6].map((index) => model.taken(1, index))).toEqual([30, 13]);
    expect([6, 8, 9].map((index) => model.taken(2, index))).toEqual([17, 17, 1]);
  });

  test("took nothing that was added since", () => {
    expect(model.taken(3, 8)).toBe(0);
    expect(takenAt(model, { branch: 3, index: 8 })).toBe("0 of 1,000 recordings");
    expect(takenAt(model, { branch: 2, index: 3 })).toBe("1,000 of 1,000 recordings");
    expect(takenAt(model, { branch: 0, index: 0 })).toBe("1,000 of 1,000 recordings");
  });

  test("are not spoken of where there are none", () => {
    const plain = multiverse(branches);
    expect(plain.recordings).toBe(0);
    expect(takenAt(plain, { branch: 1, index: 5 })).toBe("");
  });

  test("make a line the wider, the more there are", () => {
    const widths = [1, 10, 100, 1000].map((taken) => widthOf(taken, 1000));
    expect(widths.map(Math.round)).toEqual([2, 4, 6, 8]);
    expect(widthOf(1, 1)).toBe(8);
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
    expect(folded.x1[0]).toBe(foldedWidth(1000));
    expect(foldedWidth(1000)).toBeLessThan(4 * FOLDED);
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

describe("bands", () => {
  const rows: [number, number, number, number][] = [[0, 0, 0, 6]];
  for (let id = 1; id <= 500; id++) {
    rows.push([id, 0, 2, 5]);
  }

  test("many leaves of one fork are one band, what is pointed at stays apart, and a band unfolds", () => {
    const model = multiverse(rows);
    const layout = layOut(model, { ...NO_WISHES, pins: [{ branch: 77, index: 5 }] });
    expect([...layout.bands.values()].map((leaves) => leaves.length)).toEqual([499]);
    expect(layout.rows).toBe(3);
    expect(layout.y[77]).toBeGreaterThan(0);
    const unfolded = layOut(model, { ...NO_WISHES, spread: new Set(["0.2"]) });
    expect(unfolded.bands.size).toBe(0);
    expect(unfolded.rows).toBe(501);
  });

  test("what ended alike is gathered", () => {
    const model = multiverse(rows);
    for (let row = 200; row < 300; row++) {
      model.end[row] = 2;
    }
    const layout = layOut(model, NO_WISHES);
    expect([...layout.bands.values()].map((leaves) => leaves.length)).toEqual([199, 100, 201]);
  });
});

describe("axis", () => {
  test("a step is drawn between its entries, and found there again", () => {
    const model = multiverse([[0, 0, 0, 4]]);
    const layout = layOut(model, NO_WISHES);
    const axis = axisOf(model, layout, NO_WISHES, 0, { numbers: Uint32Array.from([1, 2, 3, 4]), steps: Float64Array.from([9, 10, 20, 30]) });
    expect([...axis.xs]).toEqual([1, 2, 3, 4].map((n) => n * ENTRY));
    expect(entriesBefore(axis, 10)).toBe(1);
    for (let step = 0; step <= axis.tip; step++) {
      expect(Math.abs(stepOfX(axis, xOfStep(axis, step)) - step)).toBeLessThanOrEqual(1);
      expect(xOfStep(axis, step)).toBeGreaterThanOrEqual(xOfStep(axis, Math.max(0, step - 1)));
    }
  });
});
