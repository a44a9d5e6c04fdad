import { expect, test } from "vitest";
import { isModel, isProgram, isSource, modulesOf } from "../src/programs";

const files: Record<string, string> = {
  "/w/dial/dial.wasm": "…",
  "/w/dial/dial.wasm.map": '{"sources":["dial/dial.ts","wiring/wiring.ts"]}',
  "/w/dial/dial-O0.wasm": "… dial/dial.ts …",
  "/w/build/all.wasm": "… dial.ts …",
  "/w/other/other.wasm": "… other.c …",
};

const read = (path: string) => (files[path] === undefined ? undefined : Buffer.from(files[path]));
const modules = Object.keys(files).filter((path) => path.endsWith(".wasm"));

test("a source belongs to the modules that name it, those beside it first", () => {
  expect(modulesOf("/w/dial/dial.ts", modules, read)).toEqual(["/w/dial/dial.wasm", "/w/dial/dial-O0.wasm", "/w/build/all.wasm"]);
  expect(modulesOf("/w/wiring/wiring.ts", modules, read)).toEqual(["/w/dial/dial.wasm"]);
  expect(modulesOf("/w/none.c", modules, read)).toEqual([]);
});

test("what is a program, of which kind, and what is a source", () => {
  expect(["a.wasm", "a.at", "a.OZ", "a.amb", "a.ts"].map(isProgram)).toEqual([true, true, true, true, false]);
  expect(["a.wasm", "a.at", "a.ts"].map(isModel)).toEqual([false, true, false]);
  expect(["a.wasm", "a.rs", "a.md"].map(isSource)).toEqual([false, true, false]);
});
