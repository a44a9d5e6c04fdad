import { expect, test } from "vitest";
import type { CoveredLine } from "../../../ui/src/wire/types";
import { Files, parsePlace } from "../src/futures/files";
import { heads } from "../src/futures/heads";

const line = (number: number, inputs?: string[]): CoveredLine => ({ file: "a.ts", line: number, inputs: inputs ?? null, reads: [] });

test("what is said of a stretch of lines is said once, and of what every path comes to nothing", () => {
  const lines = [line(17, ["1"]), line(18, ["1"]), line(19, ["1"]), line(24), line(25, []), line(26, []), line(28, ["1"]), line(30, [])];
  expect(heads(lines).map(({ line }) => line)).toEqual([17, 24, 28]);
  expect(heads([])).toEqual([]);
});

test("a program's file is found by as much of its name as fits", () => {
  const files = new Files([
    { path: "/w/examples/blink/blink.rs" },
    { path: "/w/src/main.c" },
    { path: "/w/other/main.c" },
    { path: "/usr/src/any.rs", sourceReference: 1 },
  ]);
  expect(files.path("blink/blink.rs")).toBe("/w/examples/blink/blink.rs");
  expect(files.path("/build/elsewhere/blink/blink.rs")).toBe("/w/examples/blink/blink.rs");
  expect(files.path("src/main.c")).toBe("/w/src/main.c");
  expect(files.path("main.c")).toBeUndefined();
  expect(files.path("any.rs")).toBeUndefined();
});

test("places are files with lines", () => {
  expect(parsePlace("blink/blink.rs:57")).toEqual({ file: "blink/blink.rs", line: 57 });
  expect(parsePlace("somewhere")).toBeUndefined();
});
