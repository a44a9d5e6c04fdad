import { expect, test } from "vitest";
import type { SuggestionListing } from "../../../ui/src/wire/types";
import { count, inputs, universe, ways } from "../src/words";

test("inputs of one call stand together", () => {
  const read = [
    { call: "sensor(0)", value: "1" },
    { call: "sensor(0)", value: "2" },
    { call: "button(3)", value: "0" },
  ];
  expect(inputs(read)).toBe("sensor(0) = 1, 2; button(3) = 0");
  expect(count(1, "universe")).toBe("1 universe");
  expect(count(3, "universe")).toBe("3 universes");
});

test("universes have their steps behind a plus", () => {
  expect(universe({ branch: 1, index: 4, agent: 0, offset: 0 })).toBe("1.4");
  expect(universe({ branch: 0, index: 2, agent: 0, offset: 7 })).toBe("0.2+7");
});

test("ways are the sets of values along the paths of a tree", () => {
  const option = (set: string, next: number) => ({ value: "", set, exact: true, next, moment: "" });
  const listing = {
    nodes: [
      { call: "s", options: [option("1..7", 1), option("0", 2)] },
      { options: [], end: 0 },
      { call: "s", options: [option("1..7", 3)] },
      { options: [], end: 1 },
    ],
  } as unknown as SuggestionListing;
  expect(ways(listing)).toEqual(["s = 1..7", "s = 0, 1..7"]);
});
