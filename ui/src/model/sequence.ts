// A way as a sequence diagram: a lane for each agent, a place in it for each step.
import type { LinkRow } from "./types";

export interface Message {
  /** Which step of the way it is, from 0; it leads to the place one further. */
  nth: number;
  from: number;
  /** The lane of the receiver; none for a step that nobody else notices. */
  to: number | null;
  /** Where the receiver takes it, if that is on the way. */
  taken: number | null;
  /** What it is called in a few letters, and in full. */
  name: string;
  text: string;
  command: boolean;
  edge: number;
}

/** To whom a step sends, in its words; none if to nobody. */
export function receiverOf(text: string): string | null {
  return /\bsends .+ to (\S+)$/.exec(text)?.[1] ?? /\{send (\S+) .+\}/.exec(text)?.[1] ?? null;
}

type Told = Pick<LinkRow, "id" | "agent" | "receiver" | "text" | "command">;

/** What is sent, in a step's words: `main sends start() to client1`, `t1: {send k t}`. */
function sent(text: string): string | null {
  return /\bsends (.+) to \S+$/.exec(text)?.[1] ?? /\{send \S+ (.+)\}/.exec(text)?.[1] ?? null;
}

/** A step's words without who takes it. */
const plain = (step: Told): string => (step.text.startsWith(`${step.agent}: `) ? step.text.slice(step.agent.length + 2) : step.text);

/** The diagram of a way in these lanes. */
export function sequence(path: readonly Told[], lanes: readonly string[]): Message[] {
  const lane = (name: string): number => Math.max(0, lanes.indexOf(name));
  return path.map((step, nth) => {
    const to = step.receiver === null || step.command ? null : lane(step.receiver);
    const message = to === null ? null : sent(step.text);
    const takes = message === null ? -1 : path.findIndex((later, at) => at > nth && later.agent === step.receiver && plain(later) === `takes ${message}`);
    return {
      nth,
      from: step.command ? 0 : lane(step.agent),
      to,
      taken: takes < 0 ? null : takes,
      name: message ?? plain(step),
      text: step.text,
      command: step.command,
      edge: step.id,
    };
  });
}
