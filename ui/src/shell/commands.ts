// What the palette offers: the keys' own table, panels, what a program consists of, and words that take an argument.
import { placeOf } from "../forms";
import { KEYS } from "../keys";
import { lanes } from "../lanes/rows.svelte";
import { who } from "../panels/who";
import { cursor } from "../source/cursor.svelte";
import { offers as modelOffers } from "../model/offers";
import { dialogs } from "../state/dialogs.svelte";
import { FLANK, panel, type PanelName } from "../state/panel.svelte";
import { view } from "../state/view.svelte";
import { wish } from "../state/wishes.svelte";
import { stage } from "../sheet/stage.svelte";
import { ghosts } from "../tree/ghosts.svelte";
import type { Demand } from "../wire/types";

export interface Offer {
  label: string;
  group: string;
  key?: string;
  typed?: string;
  run: () => void;
}

const TITLES: Record<PanelName, string> = {
  source: "Source",
  board: "Board",
  inputs: "Inputs",
  variables: "Variables",
  stack: "Stack",
  breakpoints: "Breakpoints",
  notes: "Notes",
  memory: "Memory",
  files: "Files",
  tree: "Tree",
  states: "All states",
  futures: "Futures: reach, bugs, why, cover, prove",
  table: "Table of leaves",
};

const TIME_MS = 10_000;
const WITHIN = { time_ms: TIME_MS, selects: false, boards: false };

/** Shows an answer where answers are. */
function asked(question: Parameters<typeof view.suggest>[0]): void {
  panel.show("futures");
  void view.suggest(question, WITHIN);
}

/** Words of the prompt that take an argument, with what they do to it. */
const WORDS: { word: string; about: string; run: (text: string) => void }[] = [
  { word: "jump", about: "a universe such as 1.4, a step such as @120", run: (text) => void view.run({ command: "jump", target: text }) },
  { word: "print", about: "an expression", run: (text) => void print(text) },
  { word: "watch", about: "an expression, as a row", run: (text) => lanes.add(text) },
  { word: "who", about: "a variable: who wrote it last?", run: (text) => void who(text) },
  { word: "until", about: "a line or function", run: (text) => void view.run({ command: "run-to", place: placeOf(text), direction: "forward" }) },
  { word: "break", about: "a line or function", run: (text) => void view.run({ command: "break", kind: { code: placeOf(text) }, hits: 0 }) },
  { word: "branches", about: "values of the next reading: 0..7", run: (text) => void view.say({ command: "branches", values: text }) },
  { word: "mock", about: "call = value, value", run: mock },
  { word: "unmock", about: "a call", run: (text) => void view.say({ command: "unmock", call: text || null }) },
  { word: "reach", about: "a line or function: how does one get there?", run: (text) => asked({ ask: "reach", target: { is: "place", place: placeOf(text) } }) },
  { word: "never", about: "a condition that must hold in no state", run: (text) => demand("never", text) },
  { word: "always", about: "a condition that must hold in all states", run: (text) => demand("always", text) },
  { word: "note", about: "a note on this universe", run: (text) => void view.run({ command: "note", text }) },
  { word: "bookmark", about: "a name for this universe", run: (text) => void view.run({ command: "bookmark", name: text }) },
];

function demand(demand: Demand, condition: string): void {
  asked({ ask: "states", demands: [{ demand, condition }] });
}

function mock(text: string): void {
  const [call = "", values = ""] = text.split(/\s*=\s*/, 2);
  void view.say({ command: "mock", call, values: { then: values.split(/\s*,\s*/).filter(Boolean) } });
}

async function print(expression: string): Promise<void> {
  const reply = await view.want({ command: "print", expression, frame: 0 }, "value");
  if (reply) {
    view.message("info", `${expression} = ${reply.value}`);
  }
}

function general(): Offer[] {
  const dialog = (label: string, is: "keys" | "share" | "export" | "open"): Offer => ({ label, group: "Page", run: () => (dialogs.shown = { is }) });
  const others: Offer[] = [dialog("Keys and words", "keys"), dialog("Open another program or session", "open")];
  if (!view.info) {
    return others;
  }
  const panels = [...FLANK, "tree", "states", "futures"] as PanelName[];
  return [
    ...KEYS.map((key) => ({ label: key.does, group: key.group, key: key.keys[0] ?? "", typed: key.typed, run: key.run })),
    ...panels.filter((name) => name !== "files" || view.streams).map((name) => ({ label: `Show ${TITLES[name]}`, group: "Panels", run: () => panel.show(name) })),
    { label: "All paths from here", group: "Futures", typed: "paths", run: () => asked({ ask: "paths" }) },
    { label: "Bugs ahead", group: "Futures", typed: "bugs", run: () => asked({ ask: "bugs" }) },
    { label: "Lines that no path reaches", group: "Futures", typed: "cover", run: () => asked({ ask: "cover" }) },
    { label: "Why did it trap?", group: "Futures", typed: "why", run: () => asked({ ask: "why" }) },
    { label: "Does it ever trap? Prove it", group: "Futures", typed: "prove", run: () => asked({ ask: "states", demands: [] }) },
    { label: "Futures by themselves, or no longer", group: "Futures", run: () => ghosts.toggle() },
    { label: "Everything of the multiverse in sight", group: "Multiverse", key: "0", run: () => stage.fit() },
    { label: "Fold the multiverse again", group: "Multiverse", run: () => wish.reset() },
    { label: "Fork here", group: "Multiverse", typed: "fork", run: () => void view.say({ command: "fork" }) },
    { label: "Check the recording against the device", group: "Device", typed: "verify", run: () => void view.say({ command: "verify" }) },
    { label: "Remove all breakpoints", group: "Keep", typed: "delete all", run: () => void view.run({ command: "delete-breakpoints", ids: view.breakpoints.map(({ id }) => id) }) },
    dialog("Export the multiverse as SVG, DOT or JSON", "export"),
    ...others,
  ];
}

/** Offers that a text may mean, the likeliest first. */
export function commands(text: string): Offer[] {
  if (view.model) {
    return [...modelOffers(text), ...(text === "" ? general() : [])];
  }
  const all = general();
  if (text === "") {
    return all;
  }
  const offers: Offer[] = [];
  const [first = "", ...rest] = text.split(/\s+/);
  const argument = text.slice(first.length).trim();
  if (view.info) {
    for (const { word, about, run } of WORDS) {
      if (word === first.toLowerCase() && rest.length > 0) {
        offers.push({ label: `${word} ${argument}`, group: about, run: () => run(argument) });
      } else if (word.startsWith(first.toLowerCase()) && rest.length === 0) {
        offers.push({ label: `${word} …`, group: about, run: () => view.message("info", `Ctrl+K, then: ${word} and ${about}`) });
      }
    }
    if (/^\d+\.\d+/.test(text)) {
      offers.push({ label: `Go to universe ${text}`, group: "Multiverse", run: () => void view.run({ command: "jump", target: text }) });
    }
  }
  const words = text.toLowerCase().split(/\s+/);
  const fits = (label: string): boolean => words.every((word) => label.toLowerCase().includes(word));
  offers.push(...all.filter(({ label, group, typed }) => fits(`${label} ${group} ${typed ?? ""}`)));
  for (const { name, file, line } of view.program.functions) {
    if (fits(name) && offers.length < 60) {
      offers.push({ label: name, group: file ? `${file.split("/").pop()}:${line ?? ""}` : "function", run: () => (file ? (panel.show("source"), cursor.reveal(file, line ?? 1)) : undefined) });
    }
  }
  return offers;
}
