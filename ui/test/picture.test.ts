// The states of a device program, drawn: one, a hundred, ten thousand.
import { expect, test } from "vitest";
import { fit, hit, spot } from "../src/model/states";
import { brief, colourOf, drawn } from "../src/panels/picture";
import type { StatesPicture } from "../src/wire/types";

/** Columns of up to a hundred states, each of which leads to the next. */
function picture(count: number): StatesPicture {
  const numbers = Array.from({ length: count }, (_, number) => number);
  return {
    states: numbers.map((number) => ({
      row: Math.ceil(number / 100),
      kind: number > 0 && number === count - 1 ? ("trap" as const) : ("state" as const),
      place: `state ${number}`,
      values: number % 3 === 0 ? "0" : "1 or 2",
    })),
    ways: numbers.slice(1).map((number) => ({ from: number - 1, to: number, label: `chip_digital_read(2) = ${number % 2}`, partial: number % 5 === 0 })),
    left_out: 0,
    edges: count - 1,
    complete: true,
    colour: "n",
  };
}

for (const count of [1, 100, 10_000]) {
  test(`${count} states are placed, found and coloured`, () => {
    const all = drawn(picture(count));
    expect(all.states.count).toBe(count);
    expect(all.states.ends.length).toBe(count > 1 ? 1 : 0);
    const look = fit(all.states, 400, 300);
    for (const state of [0, count >> 1, count - 1]) {
      const at = spot(all.states, look, state, 300);
      expect(hit(all.states, look, at.x, at.y, 300, 16)).toBe(state);
      expect(at.x >= 0 && at.x <= 400 && at.y >= 0 && at.y <= 300).toBe(true);
    }
    expect(all.leaving.flat().length).toBe(count - 1);
    // The most frequent value comes first, and each has a colour of its own.
    expect(all.values).toEqual(count === 1 ? ["0"] : ["1 or 2", "0"]);
    const colours = new Set(all.values.map((value) => colourOf(all.values, value, false)));
    expect(colours.size).toBe(all.values.length);
    expect(colourOf(all.values, null, false)).toBeNull();
  });
}

test("a way is named by the values that take it", () => {
  expect(brief("chip_digital_read(2) = 0..1")).toBe("0..1");
  expect(brief("chip_analog_read(34) = 1, 3, 5, 7, 9, 11 or 13")).toBe("1, 3, 5, 7, 9…");
  expect(brief("chip_delay(100)")).toBe("");
});
