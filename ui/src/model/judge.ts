// What the user said is right: which ends that are, and what is still possible in each state.
import type { EndCount } from "./types";

/** What of the right can still come in a state. The codes are those of what is drawn. */
export const HOPE = { none: 0, always: 1, open: 2, never: 3 } as const;
export type Hope = (typeof HOPE)[keyof typeof HOPE];

/** What an end is called: how it ended, and with what. */
export const named = (end: Pick<EndCount, "kind" | "verdicts" | "text">): string => `${(end.verdicts ?? [end.kind]).join(" and ")}: ${end.text}`;

/** Whether an end is right: alternatives stand between ` or `, and what must all be there between commas. */
export function isRight(right: string, end: Pick<EndCount, "kind" | "verdicts" | "text">): boolean {
  const text = named(end);
  const has = (wanted: string): boolean => new RegExp(`(^|[^\\w])${escape(wanted)}(?![\\w])`).test(text);
  return right
    .split(" or ")
    .map((one) => one.split(",").map((part) => part.trim()).filter((part) => part !== ""))
    .some((parts) => parts.length > 0 && parts.every(has));
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** What is to be thought of an end; before anything was said to be right, only what went wrong by itself is wrong. */
export function verdict(right: string, end: Pick<EndCount, "kind" | "verdicts" | "text">): "right" | "wrong" | null {
  if (right.trim() !== "") {
    return isRight(right, end) ? "right" : "wrong";
  }
  return end.kind === "finished" ? null : "wrong";
}

/** The same and one more end. */
export const withEnd = (right: string, end: Pick<EndCount, "kind" | "verdicts" | "text">): string =>
  right.trim() === "" ? named(end) : `${right} or ${named(end)}`;

/** What can still come in each state: who reaches right ends, and who others. */
export function hopes(count: number, right: readonly (readonly number[])[], wrong: readonly (readonly number[])[]): Uint8Array {
  const hope = new Uint8Array(count);
  const RIGHT = 1;
  const WRONG = 2;
  right.forEach((states) => states.forEach((state) => (hope[state] = (hope[state] ?? 0) | RIGHT)));
  wrong.forEach((states) => states.forEach((state) => (hope[state] = (hope[state] ?? 0) | WRONG)));
  const codes = [HOPE.none, HOPE.always, HOPE.never, HOPE.open];
  return hope.map((bits) => codes[bits] ?? HOPE.none);
}

/** How many states there are of each hope. */
export function counts(hope: Uint8Array): Record<Exclude<keyof typeof HOPE, "none">, number> {
  const times = [0, 0, 0, 0];
  hope.forEach((code) => (times[code] = (times[code] ?? 0) + 1));
  return { always: times[HOPE.always] ?? 0, open: times[HOPE.open] ?? 0, never: times[HOPE.never] ?? 0 };
}

/** The step of a way after which what comes is certain: its number from 1, and whether that is the right; none if none is. */
export function decision(hope: Uint8Array, places: readonly number[]): { step: number; right: boolean } | null {
  const step = places.findIndex((place, at) => at > 0 && hope[places[at - 1] ?? 0] === HOPE.open && (hope[place] === HOPE.always || hope[place] === HOPE.never));
  return step < 0 ? null : { step, right: hope[places[step] ?? 0] === HOPE.always };
}

/** A list in words in its parts: commas within brackets part nothing. */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    depth += "([{".includes(letter) ? 1 : ")]}".includes(letter) ? -1 : 0;
    if (depth === 0 && ((letter === "," && text[at + 1] === " ") || (letter === ";" && text[at + 1] === " "))) {
      parts.push(text.slice(from, at));
      from = at + 2;
    }
  }
  return [...parts, text.slice(from)].filter((part) => part !== "");
}

/** What each end says that not all of them say. */
export function differing(texts: readonly string[]): string[] {
  const all = texts.map(partsOf);
  const common = new Set((all[0] ?? []).filter((part) => all.every((parts) => parts.includes(part))));
  return all.map((parts, nth) => {
    const own = texts.length > 1 ? parts.filter((part) => !common.has(part)) : parts;
    return own.length > 0 ? own.join(", ") : (texts[nth] ?? "");
  });
}

/** What an end says, first what is about names that the user asked about. */
export function asked(own: string, right: string): string {
  const isAsked = (part: string): boolean => right.includes(/^[\w.]+/.exec(part)?.[0] ?? "\n");
  const parts = partsOf(own);
  return [...parts.filter(isAsked), ...parts.filter((part) => !isAsked(part))].join(", ");
}
