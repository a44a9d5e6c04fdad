// The one table of keys: what they do, and what the sheet says of them.
import { flushSync } from "svelte";
import { cursor } from "./source/cursor.svelte";
import { dialogs } from "./state/dialogs.svelte";
import { panel } from "./state/panel.svelte";
import { view } from "./state/view.svelte";
import type { Direction, StepSize } from "./wire/types";

export interface Key {
  /** As `KeyboardEvent.key` says it, with `Shift+` for function keys. */
  keys: string[];
  group: string;
  does: string;
  /** What to type at the prompt for the same. */
  typed: string;
  run: () => void;
}

export function step(size: StepSize, direction: Direction = "forward"): void {
  void view.run({ command: "step", direction, size, count: 1 });
}

export function go(direction: Direction = "forward"): void {
  void view.run({ command: "continue", direction });
}

export function toggleFollow(): void {
  void view.say({ command: "follow", always: !(view.info?.follows ?? false) });
}

function focus(region: string): void {
  document.querySelector<HTMLElement>(`[data-region="${region}"]`)?.focus();
}

function show(name: typeof panel.shown, field?: string): void {
  panel.shown = name;
  // Now, not with the next frame: the keys that follow belong into the field.
  flushSync();
  document.getElementById(field ?? `tab-${name}`)?.focus();
}

export const KEYS: Key[] = [
  { keys: ["c", "F8"], group: "Run", does: "run to a breakpoint", typed: "continue", run: () => go() },
  { keys: ["C", "Shift+F8"], group: "Run", does: "run backward", typed: "reverse-continue", run: () => go("backward") },
  { keys: ["p"], group: "Run", does: "pause", typed: "Ctrl-C", run: () => view.pause() },
  { keys: ["s"], group: "Run", does: "step to the next line, into calls", typed: "step", run: () => step("into") },
  { keys: ["S"], group: "Run", does: "the same, backward", typed: "reverse-step", run: () => step("into", "backward") },
  { keys: ["n", "F10"], group: "Run", does: "step over calls", typed: "next", run: () => step("over") },
  { keys: ["N", "Shift+F10"], group: "Run", does: "the same, backward", typed: "reverse-next", run: () => step("over", "backward") },
  { keys: ["f"], group: "Run", does: "finish the function", typed: "finish", run: () => step("out") },
  { keys: ["F"], group: "Run", does: "back to before the call", typed: "reverse-finish", run: () => step("out", "backward") },
  { keys: ["e"], group: "Run", does: "to the next input, output or event", typed: "entry", run: () => step("entry") },
  { keys: ["E"], group: "Run", does: "the same, backward", typed: "reverse-entry", run: () => step("entry", "backward") },
  { keys: ["i"], group: "Run", does: "one instruction", typed: "stepi", run: () => step("instruction") },
  { keys: ["I"], group: "Run", does: "one instruction back", typed: "reverse-stepi", run: () => step("instruction", "backward") },
  { keys: ["g"], group: "Run", does: "run to the cursor", typed: "until LINE", run: () => cursor.runTo() },
  { keys: ["R"], group: "Run", does: "to the start of the program", typed: "restart", run: () => void view.run({ command: "restart" }) },
  { keys: ["d"], group: "Device", does: "bring the device here", typed: "follow", run: () => void view.say({ command: "follow", always: null }) },
  { keys: ["D"], group: "Device", does: "the device follows every move, or no longer", typed: "follow on", run: toggleFollow },
  { keys: ["t"], group: "Go to", does: "the multiverse", typed: "", run: () => focus("tree") },
  { keys: ["o"], group: "Go to", does: "the source", typed: "", run: () => cursor.focus() },
  { keys: ["T"], group: "Go to", does: "the timeline", typed: "", run: () => focus("time") },
  { keys: ["v"], group: "Go to", does: "variables", typed: "variables", run: () => show("variables") },
  { keys: ["w"], group: "Go to", does: "watch an expression", typed: "print EXPRESSION", run: () => show("variables", "new-watch") },
  { keys: ["m"], group: "Go to", does: "memory", typed: "memory ADDRESS", run: () => show("memory") },
  { keys: ["/"], group: "Go to", does: "search the multiverse", typed: "", run: () => document.getElementById("tree-search")?.focus() },
  { keys: ["B", "F9"], group: "Keep", does: "breakpoint at the cursor's line", typed: "break LINE", run: () => cursor.toggle() },
  { keys: ["b"], group: "Keep", does: "name this universe", typed: "bookmark NAME", run: () => show("notes", "bookmark-name") },
  { keys: ["y"], group: "Keep", does: "share this moment", typed: "moment", run: () => (dialogs.shown = { is: "share" }) },
  { keys: ["?"], group: "Keep", does: "this sheet", typed: "help", run: () => (dialogs.shown = { is: "keys" }) },
];

/** Keys inside the multiverse, for the sheet. */
export const TREE_KEYS: [string, string][] = [
  ["← → h l", "one entry back or on"],
  ["↑ ↓ k j", "another choice"],
  ["Enter", "jump to the chosen universe"],
  ["Space u", "unfold a run, then its instructions"],
  ["x", "collapse the forks of a branch"],
  ["+ − 0", "zoom, show all"],
  ["Home End", "start, end of the path"],
  ["Esc", "back to here"],
];

/** Keys of a program of a model language: all are in its graphs. */
export const GRAPH_KEYS: [string, string][] = [
  ["↑ ↓", "back, and on, along the way"],
  ["Enter", "what can be said about the universe"],
  ["+ −", "zoom all states"],
  ["Esc", "close the menu; pause"],
];

/** Whether letters go into a field rather than to the debugger. */
function types(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input:not([type=checkbox]):not([type=range]), textarea, select") !== null;
}

export function onkeydown(event: KeyboardEvent): void {
  if (event.key === "Escape") {
    if (dialogs.shown) {
      dialogs.close();
    } else if (types(event.target)) {
      (event.target as HTMLElement).blur();
    } else if (view.work !== null) {
      view.pause();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || dialogs.shown || types(event.target) || !view.info) {
    return;
  }
  const pressed = event.shiftKey && /^F\d/.test(event.key) ? `Shift+${event.key}` : event.key;
  const found = KEYS.find((key) => key.keys.includes(pressed));
  if (found) {
    event.preventDefault();
    found.run();
  }
}
