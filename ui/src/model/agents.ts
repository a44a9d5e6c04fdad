// Who stands in which lane: agents in the order in which they come in, the same all over the page.
import type { AgentCard, LinkRow } from "./types";

/** The lanes of a way: who acts on it or is sent something, and who is there where the user is. */
export function lanesOf(steps: readonly Pick<LinkRow, "agent" | "receiver" | "command">[], agents: readonly Pick<AgentCard, "name">[]): string[] {
  const lanes: string[] = [];
  const add = (name: string): void => void (lanes.includes(name) || lanes.push(name));
  for (const step of steps) {
    if (!step.command) {
      add(step.agent);
      if (step.receiver !== null) {
        add(step.receiver);
      }
    }
  }
  agents.forEach(({ name }) => add(name));
  return lanes;
}

/** Which lane somebody has; it says his colour. */
export const numberOf = (lanes: readonly string[], name: string): number => Math.max(0, lanes.indexOf(name));

/** The colour of a lane. */
export const colourOf = (number: number): string => `var(--${["ink-2", "o1", "o2", "o3", "o4"][number % 5]})`;
