// The questions that can be put about all runs, and how their answers are told.
import type { SurveyProgress } from "../wire/types";
import { counted, grouped } from "../words";
import type { Finding, ModelReply, OutcomeRow, Question, RaceStep, Races, Reply, Step, Why } from "./types";

export interface Kind {
  id: string;
  /** In the list of kinds. */
  label: string;
  /** What must be said besides; empty if nothing. */
  argument: string;
  /** What the argument is at first. */
  example: string;
  /** The question, if it is one that is built in; the argument's numbers are given. */
  question?: (numbers: number[]) => Question;
  /** How many numbers the question needs at least. */
  numbers?: number;
}

/** A question for so many numbers. */
const built = (id: string, label: string, argument: string, numbers: number, question: (numbers: number[]) => Question): Kind => ({
  id,
  label,
  argument,
  example: "",
  question,
  numbers,
});

const first = (numbers: number[]): number => numbers[0] ?? 0;

export const KINDS: readonly Kind[] = [
  { id: "query", label: "SQL", argument: "SELECT …", example: "SELECT outcome, kind, states, text FROM model_ends" },
  { id: "check", label: "formula", argument: "F {…}, G {…}, p U q", example: "" },
  { id: "may", label: "breakpoint", argument: "a breakpoint", example: "" },
  built("ends", "ends by outcome", "", 0, () => "ends"),
  built("shortest_to_ends", "shortest path to each end", "", 0, () => "shortest_to_ends"),
  built("shortest", "shortest path to a state", "state", 1, (numbers) => ({ shortest: first(numbers) })),
  built("through", "all paths through a state", "state", 1, (numbers) => ({ through: first(numbers) })),
  built("divergence", "first divergence of two outcomes", "outcome outcome", 2, (numbers) => ({ divergence: [first(numbers), numbers[1] ?? 0] })),
  built("can_reach", "who can still reach an outcome", "outcome", 1, (numbers) => ({ can_reach: first(numbers) })),
  built("common_ancestors", "common ancestors of states", "state state …", 2, (numbers) => ({ common_ancestors: numbers })),
  built("cycles", "cycles", "", 0, () => "cycles"),
  { id: "keep", label: "outcomes, if only … matters", argument: "values or expressions: x, acc.bal > 3", example: "" },
  { id: "symmetry", label: "outcomes, actors of one kind alike", argument: "", example: "" },
  { id: "races", label: "races here, and on the way", argument: "", example: "" },
];

/** The numbers in a text, or what is wrong with it. */
export function numbers(kind: Kind, text: string): number[] | string {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const wrong = words.find((word) => !/^\d{1,9}$/.test(word));
  if (wrong !== undefined) {
    return `${wrong} is no number`;
  }
  const wanted = kind.numbers ?? 0;
  return words.length < wanted ? `say ${kind.argument}, in numbers` : words.map(Number);
}

/** A part of an answer: a line, states to look at, or a way. */
export interface Part {
  text: string;
  states: readonly number[];
  steps: readonly string[];
}

const part = (text: string, states: readonly number[] = [], steps: readonly { text: string }[] = []): Part => ({
  text,
  states,
  steps: steps.map((step) => step.text),
});

/** Outcomes, each with a way there. */
export function outcomes({ ends }: { ends: readonly OutcomeRow[] }): Part[] {
  return ends.map((end) => part(`${(end.verdicts ?? [end.kind]).join(" and ")}: ${end.text}`, [], end.steps));
}

/** A figure of a survey, by its name. */
type Figure = [string, string];

const megabytes = (bytes: number): string => `${grouped(Math.ceil(bytes / 1e6))} MB`;
const asked = (count: number): Figure[] => (count > 0 ? [["asked", grouped(count)]] : []);

/** How far a survey has come. */
export function progress({ states, aSecond, survey }: { states: number; aSecond: number; survey: SurveyProgress }): Figure[] {
  const { asks, kept_seconds_ago: kept } = survey;
  return [
    ["states", grouped(states)],
    ["a second", grouped(aSecond)],
    ["steps deep", grouped(survey.depth)],
    ["memory", megabytes(survey.memory_bytes)],
    ...asked(asks),
    ...(asks > 0 ? [["balance", survey.balance.toFixed(2)] satisfies Figure] : []),
    ["risk of collision", survey.collision_risk.toPrecision(2)],
    ...(kept === null ? [] : [["kept", `${kept} s ago`] satisfies Figure]),
  ];
}

type Told = Extract<ModelReply, { reply: "surveyed" }>;

/** What a survey took, and how sure it is. */
export function figures({ edges, seconds, memory_bytes, survey }: Pick<Told, "edges" | "seconds" | "memory_bytes" | "survey">): Figure[] {
  return [
    ["steps", grouped(edges)],
    ["steps deep", grouped(survey.depth)],
    ["seconds", seconds.toFixed(1)],
    ["cores", String(survey.workers)],
    ["memory", megabytes(memory_bytes)],
    ...asked(survey.asks),
    ["risk of collision", survey.collision_risk.toPrecision(2)],
  ];
}

/** Why a survey is not all, and how it goes on, if it is held. */
export function left(why: Why, isHeld: boolean): string {
  return {
    states: isHeld ? "There are more: raise the number of states, and it goes on from here." : "There are more states.",
    depth: "Some paths are longer.",
    cancelled: isHeld ? "It was stopped, and goes on from here." : "It was stopped.",
    time: isHeld ? "The time is used up; it goes on from here." : "The time is used up.",
    met: "",
    unfollowed: "Some runs are not followed to their ends.",
  }[why];
}

/** What became of a goal of a survey, with a way to what speaks against it. */
export function judged({ goal, holds, found, trace }: Finding): Part {
  const verdict = holds === null ? "unknown: nothing speaks against it in what was looked at" : holds ? "holds" : `broken${found === null ? "" : `: ${found}`}`;
  return part(`${goal}: ${verdict}`, [], trace);
}

/** A word on what an answer rests on that is not all; empty if it is. */
export function rests(partial: Why | null, known: number): string {
  if (partial === null) {
    return "";
  }
  const states = counted(known, "state");
  return partial === "cancelled" ? `paused: of the ${states} known so far; asked again, it goes on` : `of ${states} only: there are more`;
}

/** Which steps race, and which other messages could have been received, message by message. */
export function raced({ steps, messages }: Races): Part[] {
  const at = (step: Step): string => (step.line === null ? step.text : `${step.text}, line ${step.line}`);
  const here =
    steps.length === 0
      ? part("no two steps race here")
      : part("these can come in either order, and it matters", [], steps.map(([one, other]) => ({ text: `${at(one)} | ${at(other)}` })));
  if (messages === null) {
    return [here];
  }
  if (messages.length === 0) {
    return [here, part("no message was received on the way here")];
  }
  const shown = (step: RaceStep): string => `${step.line === null ? "" : `line ${step.line}, `}step ${step.step}: ${step.text}`;
  const received = messages.map(({ received, message, rivals }) => {
    const came = { text: `came in with ${shown(message)}` };
    const first = rivals.map((rival) => ({ text: `could have come first: ${shown(rival)}` }));
    return rivals.length > 0 ? part(shown(received), [], [came, ...first]) : part(`${shown(received)}: nothing else could have been received`);
  });
  return [here, ...received];
}

/** An answer in parts. */
export function told(reply: Reply): Part[] {
  if ("ends" in reply) {
    if (reply.ends.length === 0) {
      return [part("no end among the states that were explored")];
    }
    return reply.ends.map((end) => part(`${end.outcome}: ${(end.verdicts ?? [end.kind]).join(" and ")}, ${counted(end.states, "state")}: ${end.text}`));
  }
  if ("ways" in reply) {
    if (reply.ways.length === 0) {
      return [part("no end among the states that were explored")];
    }
    return reply.ways.map((way) => {
      const outcome = way.outcome === null ? "" : `, outcome ${way.outcome}`;
      return part(`${counted(way.steps.length, "step")} to state ${way.state}${outcome}`, [way.state], way.steps);
    });
  }
  if ("states" in reply) {
    return [part(counted(reply.states.length, "state"), reply.states)];
  }
  if ("ancestors" in reply) {
    return [part("the last of them", reply.ancestors.last), part(`all: ${counted(reply.ancestors.all.length, "state")}`, reply.ancestors.all)];
  }
  if ("cycles" in reply) {
    const cycles = reply.cycles.map((states) => part(counted(states.length, "state"), states));
    return cycles.length > 0 ? cycles : [part("no run goes round for ever")];
  }
  const parting = reply.divergence;
  if (parting === null) {
    return [part("no choice decides between them")];
  }
  const then = [
    part(`they part in state ${parting.state}`, [parting.state], parting.steps),
    part("then only the first", [], parting.first),
    part("then only the second", [], parting.second),
    part("then still both", [], parting.both),
    part("then neither", [], parting.neither),
  ];
  return then.filter((part, nth) => nth === 0 || part.steps.length > 0);
}
