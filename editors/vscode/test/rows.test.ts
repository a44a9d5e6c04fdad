import { expect, test } from "vitest";
import { runs } from "../src/multiverse/model";
import { Rows, SLICE, type Multiverse, type Row } from "../src/multiverse/rows";

/** Rows as text: a branch's lines are indented below where it leaves. */
async function drawn(rows: Rows): Promise<string[]> {
  const lines: string[] = [];
  const draw = async (row: Row, depth: number): Promise<void> => {
    const text = row.is === "entry" ? `${rows.multiverse.name(row.branch, row.index)} ${row.entry.text}` : row.id;
    lines.push("  ".repeat(depth) + text);
    for (const child of await rows.below(row)) {
      await draw(child, depth + 1);
    }
  };
  for (const row of await rows.roots()) {
    await draw(row, 0);
  }
  return lines;
}

const universes = (count: number) => Array.from({ length: count }, (_, id) => ({ id, status: id === count - 1 ? "end" : "running" }));

test("a graph is runs, of which others leave", async () => {
  const edges = [
    { from: 0, to: 1, text: "a" },
    { from: 1, to: 2, text: "b" },
    { from: 1, to: 3, text: "c" },
    { from: 2, to: 4, text: "d" },
    // Come to before: it adds nothing.
    { from: 3, to: 4, text: "e" },
    { from: 0, to: 5, text: "f" },
  ];
  const rows = new Rows(runs(universes(6), edges));
  expect(await drawn(rows)).toEqual([
    "start",
    "  branch 1",
    "    5 f",
    "    end 1",
    "1 a",
    "  branch 2",
    "    3 c",
    "    end 2",
    "2 b",
    "4 d",
    "end 0",
  ]);
});

test("a universe has the row that leads to it, also where nobody has looked", async () => {
  const edges = [
    { from: 0, to: 1, text: "a" },
    { from: 1, to: 2, text: "b" },
    { from: 1, to: 3, text: "c" },
    { from: 3, to: 4, text: "d" },
  ];
  const rows = new Rows(runs(universes(5), edges));
  const row = await rows.find("4");
  expect(row?.id).toBe("1.3");
  expect(row && rows.above(row)?.id).toBe("branch 1");
  expect((await rows.find("0"))?.id).toBe("start");
  expect(await rows.find("77")).toBeUndefined();
});

/** One branch of so many entries. */
function long(tip: number): Multiverse {
  return {
    branches: [{ id: 0, parent: 0, fork: 0, tip, end: "" }],
    entries: async (_, from, count) =>
      Array.from({ length: count }, (_, at) => ({ text: `${from + at}`, kind: "input" as const, mocked: false })),
    name: (branch, index) => `${branch}.${index}`,
    find: (universe) => ({ branch: 0, index: Number(universe) }),
  };
}

test("entries are cut into slices past the limit, and not at it", async () => {
  const kinds = async (tip: number) => (await new Rows(long(tip)).roots()).map((row) => row.is);
  expect((await kinds(SLICE)).filter((kind) => kind === "entry")).toHaveLength(SLICE);
  expect(await kinds(SLICE + 1)).toEqual(["start", "slice", "slice", "end"]);
  const rows = new Rows(long(3 * SLICE));
  const row = await rows.find(String(SLICE + 1));
  expect(row && rows.above(row)?.id).toBe(`slice 0 ${SLICE}`);
});
