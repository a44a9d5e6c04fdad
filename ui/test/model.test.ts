// The graph of a model program as pictures: pure modules.
import { expect, test } from "vitest";
import { lanesOf } from "../src/model/agents";
import { asked, counts, decision, differing, hopes, isRight, partsOf, withEnd } from "../src/model/judge";
import { layout, nearest, nearestEdge, STEP } from "../src/model/layout";
import { linesOf, wanted, wrongAt } from "../src/model/program";
import { figures, KINDS, numbers, progress, raced, told as answered } from "../src/model/questions";
import { receiverOf, sequence } from "../src/model/sequence";
import { fit, hit, read, show, spot, visible, zoom } from "../src/model/states";
import type { AgentCard, LinkRow } from "../src/model/types";
import { grown, NO_UNIVERSES } from "../src/model/universes";
import { ring, waits } from "../src/model/waits";
import type { StatesFrame, UniversesFrame } from "../src/wire/frames";

const graph = (nodes: number, edges: [number, number][]) => ({
  nodes,
  from: Uint32Array.from(edges.map(([from]) => from)),
  to: Uint32Array.from(edges.map(([, to]) => to)),
});

test("a column holds the universes at one distance from the start", () => {
  const places = layout(graph(5, [[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [4, 0]]));
  expect([...places.x].map((x) => x / STEP)).toEqual([0, 1, 1, 2, 3]);
  expect(places.y[1]).not.toBe(places.y[2]);
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
  expect(places.width).toBe(19 * STEP);
  const chain = layout({ nodes: 50_000, from: Uint32Array.from({ length: 49_999 }, (_, n) => n), to: Uint32Array.from({ length: 49_999 }, (_, n) => n + 1) });
  expect(chain.width).toBe(49_999 * STEP);
});

const step = (id: number, agent: string, receiver: string | null, text: string, command = false): LinkRow => ({
  id, agent, receiver, command, from: id, to: id + 1, rule: "", text, line: null, rules: [],
});

test("a way becomes a diagram with a lane an agent, and a message ends where it is taken", () => {
  const way = [
    step(0, "main", "math", "main sends double(12) to math"),
    step(1, "", null, "resume", true),
    step(2, "math", null, "math: takes double(12)"),
    step(3, "t1", "k", "t1: {send k t}"),
  ];
  const lanes = lanesOf(way, [{ name: "math" }, { name: "late" }]);
  expect(lanes).toEqual(["main", "math", "t1", "k", "late"]);
  const messages = sequence(way, lanes);
  expect(messages.map(({ from, to, taken }) => [from, to, taken])).toEqual([[0, 1, 2], [0, null, null], [1, null, null], [2, 3, null]]);
  expect(messages.map(({ name }) => name)).toEqual(["double(12)", "resume", "takes double(12)", "t"]);
  expect(way.map(({ text }) => receiverOf(text))).toEqual(["math", null, null, "k"]);
});

const end = (text: string, kind = "finished") => ({ kind, text });

test("an end is right if it says all that was asked for, in whole words", () => {
  const good = end("math.result = 66, client1 prints 24");
  expect(isRight("client1 prints 24", good)).toBe(true);
  expect(isRight("client1 prints 2", good)).toBe(false);
  expect(isRight("math.result = 6", good)).toBe(false);
  expect(isRight("prints 24, result = 66", good)).toBe(true);
  expect(isRight("prints 66 or result = 66", good)).toBe(true);
  expect(isRight("", good)).toBe(false);
  expect(isRight("deadlock", end("x", "deadlock"))).toBe(true);
  expect(isRight(withEnd(withEnd("", good), end("y")), end("y"))).toBe(true);
});

test("of an end it is said what not all ends say", () => {
  expect(partsOf("a = [1, 2], b = {x, y}; t2: waits on k, line 6")).toEqual(["a = [1, 2]", "b = {x, y}", "t2: waits on k", "line 6"]);
  expect(differing(["a = 1, b = 2", "a = 1, b = 3", "a = 1"])).toEqual(["b = 2", "b = 3", "a = 1"]);
  expect(differing(["a = 1, b = 2"])).toEqual(["a = 1, b = 2"]);
  expect(asked("a = 1, b = 2", "b = 3")).toBe("b = 2, a = 1");
});

test("what can still come is known from who reaches what", () => {
  const hope = hopes(5, [[0, 1], [0, 4]], [[0, 2]]);
  expect([...hope]).toEqual([2, 1, 3, 0, 1]);
  expect(counts(hope)).toEqual({ always: 2, open: 1, never: 1 });
  expect(decision(hope, [3, 0, 2])).toEqual({ step: 2, right: false });
  expect(decision(hope, [0, 4, 2])).toEqual({ step: 1, right: true });
  expect(decision(hope, [1, 4])).toBeNull();
});

test("a line asks for the breakpoint that it is about", () => {
  expect(wanted("    def getResult() { result };", true)).toBe("receiver getResult");
  expect(wanted("  math<-double(12);", true)).toBe("sender double");
  expect(wanted("def x := 1;", true)).toBeNull();
  expect(wanted("def getResult() {}", false)).toBeNull();
  expect(linesOf("receiver get", "a\ndef get() {}\nx<-get()")).toEqual([2]);
  expect(linesOf("sender get", "a\ndef get() {}\nx<-get()")).toEqual([3]);
  expect(linesOf("when x == 1", "x")).toEqual([]);
});

test("where a text is wrong is read from the message", () => {
  const message = "29 | (\n     ^ the text ends here\nan expression is missing";
  expect(wrongAt(message)).toEqual({ line: 29, column: 1, why: "an expression is missing" });
  expect(wrongAt("paused in 2 universes")).toBeNull();
});

const agent = (name: string, stuck: string | null, inbox: string[] = []): AgentCard => ({ name, mode: "run", next: "", line: null, fields: [], inbox, calls: [], output: [], stuck });

test("a ring of waiting is found, and messages that nobody took", () => {
  const all = waits([agent("a", "waits for b, line 3"), agent("b", "waits on a"), agent("c", "waits for a"), agent("d", null, ["m()"])]);
  expect(all.map(({ from, to, message }) => [from, to, message])).toEqual([["a", "b", false], ["b", "a", false], ["c", "a", false], ["", "d", true]]);
  expect([...ring(all)].sort()).toEqual(["a", "b"]);
});

test("universes grow by what is new and what has changed, and begin again", () => {
  const patch = (fresh: boolean, statuses: [number, string][], edges: [number, number, number][]): UniversesFrame => ({
    header: { frame: "universes", number: 1, fresh, count: statuses.length, edges: edges.length, statuses: statuses.map(([, name]) => name) },
    universe: Uint32Array.from(statuses, ([id]) => id),
    status: Uint8Array.from(statuses, (_, at) => at),
    from: Uint32Array.from(edges, ([from]) => from),
    to: Uint32Array.from(edges, ([, to]) => to),
    command: Uint8Array.from(edges, ([, , command]) => command),
  });
  const first = grown(NO_UNIVERSES, patch(true, [[0, "unexplored"]], []));
  const second = grown(first, patch(false, [[0, "running"], [1, "end"]], [[0, 1, 0], [0, 0, 1]]));
  expect(first.statuses).toEqual(["unexplored"]);
  expect(second).toMatchObject({ nodes: 2, statuses: ["running", "end"] });
  expect([[...second.from], [...second.to], [...second.command]]).toEqual([[0, 0], [1, 0], [0, 1]]);
  expect(grown(second, patch(true, [[0, "paused"]], []))).toMatchObject({ nodes: 1, statuses: ["paused"], from: new Uint32Array() });
});

/** What the server tells of all states: a depth and a status for each. */
function told(states: [number, number][], edges: number, complete: boolean): StatesFrame {
  return {
    header: { frame: "states", id: 1, count: states.length, edges, complete },
    depth: Uint32Array.from(states, ([depth]) => depth),
    status: Uint8Array.from(states, ([, status]) => status),
  };
}

test("all states stand in columns, and are found where they are drawn", () => {
  const states = read(told([[0, 0], [1, 0], [1, 0], [2, 4], [1, 5]], 6, true));
  expect([states.count, states.edges, states.complete, states.fullest]).toEqual([5, 6, true, 3]);
  expect([...states.order]).toEqual([0, 1, 2, 4, 3]);
  expect([...states.ends]).toEqual([3, 4]);
  const look = fit(states, 800, 600);
  for (let state = 0; state < states.count; state++) {
    const { x, y } = spot(states, look, state, 600);
    expect(hit(states, look, x + 3, y - 3, 600, 10)).toBe(state);
  }
  expect(hit(states, look, 1, 1, 600, 10)).toBeNull();
  expect(hit(states, look, 5000, 300, 600, 10)).toBeNull();
});

test("zooming keeps the point under the mouse, and what is seen is bounded", () => {
  const columns = 200;
  const full = 5_000;
  const states = read(told(Array.from({ length: columns * full }, (_, n) => [Math.floor(n / full), 0]), 0, false));
  const look = fit(states, 1000, 700);
  expect(visible(states, look, 1000, 700).reduce((sum, { from, to }) => sum + to - from, 0)).toBe(columns * full);
  const near = zoom(look, 1e9, 300, 200, 700);
  const before = hit(states, zoom(look, 40, 300, 200, 700), 300, 200, 700, 1000);
  const after = hit(states, near, 300, 200, 700, 1000);
  expect(before).not.toBeNull();
  expect(Math.abs((states.place[before ?? 0] ?? 0) - (states.place[after ?? 0] ?? 0))).toBeLessThan(20);
  const seen = visible(states, near, 1000, 700);
  expect(seen.reduce((sum, { from, to }) => sum + to - from, 0)).toBeLessThan(1000);
  const target = 123_456;
  const shown = show(states, look, target, 1000, 700);
  const { x, y } = spot(states, shown, target, 700);
  expect(x > 0 && x < 1000 && y > 0 && y < 700 && shown.gap >= 5).toBe(true);
});

test("a million states are sorted into columns", () => {
  const count = 1_000_000;
  const depth = Uint32Array.from({ length: count }, (_, n) => Math.floor(Math.sqrt(n)));
  const header = { frame: "states", id: 1, count, edges: 0, complete: true };
  const states = read({ header, depth, status: new Uint8Array(count) });
  expect(states.first.length).toBe(1001);
});

test("questions take the numbers that they need", () => {
  const kind = (id: string) => KINDS.find((kind) => kind.id === id) ?? KINDS[0]!;
  expect(numbers(kind("divergence"), "0, 2")).toEqual([0, 2]);
  expect(numbers(kind("divergence"), "0")).toContain("outcome outcome");
  expect(numbers(kind("through"), "x7")).toBe("x7 is no number");
  expect(numbers(kind("ends"), "")).toEqual([]);
  expect(kind("common_ancestors").question?.([3, 4, 5])).toEqual({ common_ancestors: [3, 4, 5] });
});

test("a race is told with what came in and what could have", () => {
  const step = (step: number, line: number | null) => ({ step, line, text: `m${step}` });
  expect(raced({ steps: [], messages: null }).map(({ text }) => text)).toEqual(["no two steps race here"]);
  expect(raced({ steps: [], messages: [] })[1]?.text).toContain("no message was received");
  const can = (text: string, line: number | null) => ({ agent: "a", rule: "r", text, line, column: line, option: 0, options: 2, rules: 1 });
  const messages = [
    { received: step(4, 6), message: step(3, null), rivals: [] },
    { received: step(9, null), message: step(7, 2), rivals: [step(8, 3)] },
  ];
  const [here, alone, race] = raced({ steps: [[can("x", 2), can("y", null)]], messages });
  expect(here?.steps).toEqual(["x, line 2 | y"]);
  expect(alone?.text).toBe("line 6, step 4: m4: nothing else could have been received");
  expect(race).toEqual({ text: "step 9: m9", states: [], steps: ["came in with line 2, step 7: m7", "could have come first: line 3, step 8: m8"] });
});

test("the figures of a survey leave out what there is not", () => {
  const survey = { depth: 61, asks: 0, sent_bytes: 0, memory_bytes: 31_902_720, balance: 1, collision_risk: 5.1e-8, kept_seconds_ago: null };
  const alone = progress({ states: 1_371_582, aSecond: 694_512, survey });
  expect(alone).toEqual([
    ["states", "1,371,582"],
    ["a second", "694,512"],
    ["steps deep", "61"],
    ["memory", "32 MB"],
    ["risk of collision", "5.1e-8"],
  ]);
  const several = progress({ states: 1, aSecond: 1, survey: { ...survey, asks: 1_603, balance: 1.084, kept_seconds_ago: 12 } });
  expect(several).toContainEqual(["asked", "1,603"]);
  expect(several).toContainEqual(["balance", "1.08"]);
  expect(several).toContainEqual(["kept", "12 s ago"]);
  const note = { bits: 64, collision_risk: 0, depth: 6, workers: 2, asks: 4, sent_bytes: 0 };
  const done = figures({ edges: 21, survey: note, seconds: 0.04, memory_bytes: 900 });
  expect(done.map(([name, value]) => `${name} ${value}`).join(", ")).toBe("steps 21, steps deep 6, seconds 0.0, cores 2, memory 1 MB, asked 4, risk of collision 0.0");
});

test("answers are told with the states to look at", () => {
  expect(answered({ ends: [{ outcome: 1, kind: "deadlock", text: "x", states: 1200 }] })[0]?.text).toBe("1: deadlock, 1,200 states: x");
  expect(answered({ states: [3, 4] })[0]).toEqual({ text: "2 states", states: [3, 4], steps: [] });
  expect(answered({ divergence: null })[0]?.text).toContain("no choice");
  expect(answered({ cycles: [] })[0]?.text).toBe("no run goes round for ever");
});
