// What the palette offers on the page of a model program.
import type { Offer } from "../shell/commands";
import { view } from "../state/view.svelte";
import { model, type Panel } from "./state.svelte";

const PANELS: [Panel, string][] = [
  ["text", "the program's text"],
  ["state", "the state, and what the last step changed"],
  ["ends", "what all runs come to"],
  ["ask", "questions about all runs"],
  ["caredeb", "CaReDeb: threads forward and back"],
];

/** Words that take an argument. */
const WORDS: { word: string; about: string; run: (text: string) => void }[] = [
  { word: "break", about: "a breakpoint: receiver getResult, when x == 2", run: (spec) => void model.order({ order: "break", spec }) },
  { word: "right", about: "what a right end says", run: (text) => void model.attempt(() => model.say(text)) },
];

function all(): Offer[] {
  const order = (label: string, key: string, run: () => void): Offer => ({ label, group: "Run", key, run });
  return [
    order("Run all universes", "", () => void model.run()),
    order("A step back on this way", "←", () => void model.attempt(() => model.walk(-1))),
    order("A step on, on this way", "→", () => void model.attempt(() => model.walk(1))),
    order("To the start of this way", "Home", () => void model.attempt(() => model.go(0))),
    order("Forget all universes, and begin again", "", () => void model.order({ order: "restart" })),
    { label: "Seek the next halt of a breakpoint", group: "Run", run: () => void model.order({ order: "seek", universe: model.here }) },
    { label: "Show the universes that were visited", group: "Multiverse", run: () => (model.shown = "seen") },
    { label: "Show all states", group: "Multiverse", run: () => (model.shown = "all") },
    { label: "Survey: count all states without keeping them", group: "Multiverse", run: () => void model.survey() },
    ...PANELS.filter(([name]) => name !== "caredeb" || view.model?.caredeb).map(([name, about]) => ({ label: `Show ${about}`, group: "Panels", run: () => (model.panel = name) })),
    ...(model.card?.possible ?? []).map((entry) => ({
      label: entry.agent === null ? entry.label : `${entry.label} of ${entry.agent}`,
      group: "Universe",
      run: () => void model.order(entry.order),
    })),
    ...(model.endings ?? []).flatMap((end) => {
      const { state } = end;
      return state === null ? [] : [{ label: `${end.kind}: ${end.text}`, group: "Ends", run: () => void model.attempt(() => model.lookAtState(state)) }];
    }),
  ];
}

/** Offers that a text may mean. */
export function offers(text: string): Offer[] {
  const [first = ""] = text.split(/\s+/);
  const argument = text.slice(first.length).trim();
  const said = WORDS.flatMap(({ word, about, run }): Offer[] => {
    if (first === "" || !word.startsWith(first.toLowerCase())) {
      return [];
    }
    return argument === "" ? [{ label: `${word} …`, group: about, run: () => (model.message = `Ctrl+K, then: ${word} and ${about}`) }] : [{ label: `${word} ${argument}`, group: about, run: () => run(argument) }];
  });
  const words = text.toLowerCase().split(/\s+/);
  return [...said, ...all().filter(({ label, group }) => words.every((word) => `${label} ${group}`.toLowerCase().includes(word)))];
}
