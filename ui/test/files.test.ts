// Rows of files, without a browser.
import { expect, test } from "vitest";
import { hexText, tree } from "../src/panels/files";

test("files stand below their folders, whatever is between in the alphabet", () => {
  const rows = tree([
    ["/data/a", "folder", ""],
    ["/data/a.txt", 3, "added"],
    ["/data/a/b", 0, ""],
    ["/data/a/c", null, "removed"],
    ["/data/l", "-> a/b", ""],
  ]);
  expect(rows.map(({ path, name, depth }) => [path, name, depth])).toEqual([
    ["/data/a", "/data/a", 0],
    ["/data/a/b", "b", 1],
    ["/data/a/c", "c", 1],
    ["/data/a.txt", "/data/a.txt", 0],
    ["/data/l", "/data/l", 0],
  ]);
  expect(rows.map(({ isFile }) => isFile)).toEqual([false, true, false, true, false]);
  expect(rows.map(({ size, change }) => `${size} ${change}`.trim())).toEqual(["folder", "0", "removed", "3 added", "-> a/b"]);
});

test("bytes are shown sixteen a line", () => {
  expect(hexText([])).toBe("");
  const lines = hexText([...Array(17).keys()].map((n) => n + 60)).split("\n");
  expect(lines).toEqual([
    "000000  3c 3d 3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b  <=>?@ABCDEFGHIJK",
    `000010  ${"4c".padEnd(47)}  L`,
  ]);
  expect(hexText([10, 255])).toContain("··");
});
