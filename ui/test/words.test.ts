// Words, values and labels, without a browser.
import { expect, test } from "vitest";
import { bytesOf, readsBytes } from "../src/board/serial";
import { worded } from "../src/board/words";
import { at, coursesOf, joined, sighted } from "../src/lanes/courses";
import type { Entry } from "../src/tree/entries";
import { elided, place, type Label } from "../src/tree/labels";
import { countOf } from "../src/tree/values";
import { grown, NO_COLUMNS } from "../src/time/path";
import { counted, duration } from "../src/words";

test("values are counted as they are typed", () => {
  expect(countOf("500, 2000, 3500")).toBe(3);
  expect(countOf("0..7")).toBe(8);
  expect(countOf("1, 4..6, HIGH")).toBe(5);
  expect(countOf("")).toBe(0);
  expect(countOf("1; drop")).toBe(0);
});

test("what is typed into a serial line is bytes", () => {
  expect(bytesOf("R1")).toEqual([82, 49]);
  expect(bytesOf("\\x02\\xFF\\n\\0\\\\")).toEqual([2, 255, 10, 0, 92]);
  expect(bytesOf("é\\q")).toEqual([195, 169, 92, 113]);
  const input = (call: string, range: [number, number] | null) => readsBytes({ call, range, codomain: "", values: [], next: false });
  expect([input("uart_read_byte(1)", [-1, 255]), input("digital_read(4)", [0, 255]), input("serial_read()", [0, 255]), input("x", null)]).toEqual([true, false, true, false]);
});

test("things and times are told in words", () => {
  expect([counted(1, "branch"), counted(2, "branch"), counted(3, "entry"), counted(1, "hit")]).toEqual(["1 branch", "2 branches", "3 entries", "1 hit"]);
  expect([350, 630_000, 2_010_000, 1_500_000_000, 36_240_000_000].map(duration)).toEqual(["350 µs", "630 ms", "2.01 s", "25 min", "10 h 4 min"]);
  expect(worded("read_uart_sensor(0)", "7").text).toBe("7 brown");
  expect(worded("chip_digital_read(2)", "1").text).toBe("1 high");
});

test("names are shortened in the middle", () => {
  expect(elided("drive_motor_degrees", 9)).toBe("drive…ees");
  expect(elided("delay", 9)).toBe("delay");
});

const entry = (kind: Entry["kind"], steps: number, call: string, value: string | null = null): Entry => ({ kind, steps, call, value, mocked: false });

test("pins, motors and readings have a course along the path", () => {
  const courses = coursesOf({
    told: [
      entry("input", 5, "read_uart_sensor(0)", "2"),
      entry("output", 9, "drive_motor_degrees(0, 5000, 90)"),
      entry("output", 12, "chip_digital_write(25, 1)"),
      entry("output", 20, "drive_motor_degrees(0, 5000, -45)"),
    ],
  });
  expect(courses.motors.get(0)?.map(({ value }) => value)).toEqual([90, 45]);
  expect(courses.pins.get(25)?.map(({ step, value }) => [step, value])).toEqual([[12, 1]]);
  expect(courses.readings.get("read_uart_sensor(0)")?.[0]?.text).toBe("2 blue");
  const turns = courses.motors.get(0) ?? [];
  expect([at(turns, 9), at(turns, 10)?.text, at(turns, 30)?.text]).toEqual([null, "90°", "45°"]);
});

test("a path grows by what is told while it runs, and a gap is no path", () => {
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, n) => entry("output", (from + n) * 10, `o(${from + n})`));
  const first = grown(NO_COLUMNS, 3, rows(1, 3));
  expect([...first.numbers]).toEqual([1, 2, 3]);
  const more = grown(first, 5, rows(2, 4));
  expect([...more.numbers]).toEqual([1, 2, 3, 4, 5]);
  expect(more.told.length).toBe(5);
  const far = grown(more, 20, rows(18, 3));
  expect([...far.numbers]).toEqual([1, 2, 3, 4, 5, 18, 19, 20]);
  expect([far.first, far.told.length]).toEqual([18, 3]);
});

test("labels give way to more important ones, or stand elsewhere", () => {
  const context = { measureText: (text: string) => ({ width: text.length * 7 }), font: "" };
  const brush = { context, width: 500, write: () => undefined } as unknown as Parameters<typeof place>[0];
  const label = (text: string, rank: number, others: [number, number][] = []): Label => ({ text, x: 100, y: 50, align: "left", font: "", colour: "", rank, else: others });
  const boxes = place(brush, [label("less", 3), label("most", 0), label("elsewhere", 2, [[0, 30]])]);
  expect(boxes.map(({ text }) => text)).toEqual(["most", "elsewhere"]);
});

test("pins that are only seen are changes where they differ", () => {
  const known = new Map([[4, [{ step: 10, value: 1, text: "1", swatch: null }]]]);
  let seen = sighted(new Map(), known, 20, [[4, 1, "1"], [5, 0, "0"]]);
  seen = sighted(seen, known, 30, [[4, 0, "0"], [5, 0, "0"]]);
  const all = joined(known, seen);
  expect(all.get(4)?.map(({ step, value }) => [step, value])).toEqual([[10, 1], [30, 0]]);
  expect(all.get(5)?.map(({ step }) => step)).toEqual([20]);
});
