// The graph of a model program as pictures: pure modules.
import { expect, test } from "vitest";
import { layout, nearest, nearestEdge, ROW } from "../src/model/layout";
import { sequence } from "../src/model/sequence";
import type { Link } from "../src/model/wire";

const graph = (nodes: number, edges: [number, number][]) => ({
  nodes,
  from: Uint32Array.from(edges.map(([from]) => from)),
  to: Uint32Array.from(edges.map(([, to]) => to)),
});

test("a row holds the universes at one distance from the start", () => {
  const places = layout(graph(5, [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [4, 0]]));
  expect([...places.y].map((y) => Math.floor(y / ROW))).toEqual([0, 1, 1, 2, 3]);
  expect(places.x[1]).not.toBe(places.x[2]);
  expect(nearest(places, places.x[2] ?? 0, (places.y[2] ?? 0) + 3, 10)).toBe(2);
  expect(nearest(places, -500, -500, 10)).toBeNull();
});

test("an edge is found near its middle", () => {
  const drawn = graph(3, [[0, 1], [0, 2]]);
  const places = layout(drawn);
  const middle = (a: number, b: number): [number, number] => [
    ((places.x[a] ?? 0) + (places.x[b] ?? 0)) / 2,
    ((places.y[a] ?? 0) + (places.y[b] ?? 0)) / 2,
  ];
  expect(nearestEdge(drawn, places, ...middle(0, 2), 5)).toBe(1);
  expect(nearestEdge(drawn, places, 9999, 9999, 5)).toBeNull();
});

test("a million universes are laid out in seconds, also in a chain", () => {
  const count = 1_000_000;
  const from = Uint32Array.from({ length: count - 1 }, (_, n) => Math.floor(n / 2));
  const to = Uint32Array.from({ length: count - 1 }, (_, n) => n + 1);
  const places = layout({ nodes: count, from, to });
  expect(places.height).toBe(20 * ROW);
  const chain = layout({ nodes: 50_000, from: Uint32Array.from({ length: 49_999 }, (_, n) => n), to: Uint32Array.from({ length: 49_999 }, (_, n) => n + 1) });
  expect(chain.height).toBe(50_000 * ROW);
});

test("a path becomes a diagram with a column an agent", () => {
  const link = (id: number, agent: string, receiver: string | null, command = false): Link => ({
    id, agent, receiver, command, from: id, to: id + 1, rule: "", text: `step ${id}`, line: null, rules: [],
  });
  const { agents, messages } = sequence([link(0, "main", "math"), link(1, "math", null), link(2, "", null, true), link(3, "client", "math")]);
  expect(agents).toEqual(["main", "math", "client"]);
  expect(messages.map((message) => message.to)).toEqual([1, null, null, 1]);
});
