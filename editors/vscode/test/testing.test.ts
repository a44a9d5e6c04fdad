import { expect, test } from "vitest";
import { diverged, lines, mocks, parse, type PathTest } from "../src/testing/file";

const path: PathTest = {
  name: "path 1 inputs",
  inputs: ["0", "1", "9"],
  expect: {
    reads: ["sensor(0)", "sensor(0)", "button(3)"],
    outputs: ["setup(0)", "turn(45)"],
    end: "reads another input",
  },
};
const text = JSON.stringify({ borges_test: 1, program: "a.wasm", tests: [path, { ...path, name: "path 2 inputs" }] }, null, 2);

test("what was written by 'paths --write-test' is read, and nothing else", () => {
  expect(parse(text)?.tests).toHaveLength(2);
  expect(parse("{}")).toBeUndefined();
  expect(parse("no")).toBeUndefined();
  expect(parse("null")).toBeUndefined();
});

test("a test stands where its name does", () => {
  const found = lines(text, parse(text)!);
  expect(found.map((line) => text.split("\n")[line]!.trim())).toEqual(['"name": "path 1 inputs",', '"name": "path 2 inputs",']);
});

test("inputs are mocked call by call", () => {
  expect(mocks(path)).toEqual([
    { call: "sensor(0)", values: ["0", "1"] },
    { call: "button(3)", values: ["9"] },
  ]);
});

test("a program parts from a test at its first other entry", () => {
  const input = (call: string) => ({ kind: "input", call });
  const output = (call: string) => ({ kind: "output", call });
  const same = [output("setup(0)"), input("sensor(0)"), input("sensor(0)"), output("turn(45)"), input("button(3)")];
  expect(diverged(path, same)).toBeUndefined();
  expect(diverged(path, [...same.slice(0, 3), output("turn(90)")])).toBe(4);
  expect(diverged(path, [...same, output("more()")])).toBe(6);
});
