import { delimiter } from "node:path";
import { expect, test } from "vitest";
import { findBorges } from "../src/binary";

const places = { setting: "", extension: "/ext", path: ["/usr/bin", "", "/opt/bin"].join(delimiter) };
const there = (...paths: string[]) => (path: string) => paths.includes(path);

test("the extension's own debugger comes before those on the path", () => {
  expect(findBorges(places, there("/ext/bin/borges", "/opt/bin/borges"))).toBe("/ext/bin/borges");
  expect(findBorges(places, there("/opt/bin/borges"))).toBe("/opt/bin/borges");
  expect(findBorges(places, there())).toBeUndefined();
});

test("a path that is set is the only one", () => {
  const set = { ...places, setting: "/my/borges" };
  expect(findBorges(set, there("/my/borges", "/ext/bin/borges"))).toBe("/my/borges");
  expect(findBorges(set, there("/ext/bin/borges"))).toBeUndefined();
});
