// The one table of keys: what they do, and what the sheet says of them.
import { cursor } from "./source/cursor.svelte";
import { dialogs } from "./state/dialogs.svelte";
import { pace } from "./state/pace.svelte";
import { panel } from "./state/panel.svelte";
import { view } from "./state/view.svelte";
import { guide } from "./tour/guide.svelte";
import { ghosts } from "./tree/ghosts.svelte";
import { whatIf } from "./tree/whatIf.svelte";
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
  if (direction === "forward") {
    pace.begin();
    void view.run({ command: "run-on" });
  } else {
    void view.run({ command: "continue", direction });
  }
}

export function toggleFollow(): void {
  void view.say({ command: "follow", always: !(view.info?.follows ?? false) });
}

export function focus(region: string): void {
  document.querySelector<HTMLElement>(`[data-region="${region}"]`)?.focus();
}

/** Brings the tree to the front, and something of it under the keys. */
function showTree(what: () => void): void {
  panel.show("tree");
  what();
}

export const KEYS: Key[] = [
  { keys: ["c", "F8"], group: "Run", does: "run to a breakpoint", typed: "continue", run: () => go() },
  { keys: ["C", "Shift+F8"], group: "Run", does: "run backward", typed: "reverse-continue", run: () => go("backward") },
  { keys: ["p"], group: "Run", does: "pause", typed: "Ctrl-C", run: () => view.pause() },
  { keys: ["s"], group: "Run", does: "step to the next line, into calls", typed: "step", run: () => step("into") },
  { keys: ["S"], group: "Run", does: "step back to the last line", typed: "reverse-step", run: () => step("into", "backward") },
  { keys: ["n", "F10"], group: "Run", does: "step over calls", typed: "next", run: () => step("over") },
  { keys: ["N", "Shift+F10"], group: "Run", does: "step over calls, backward", typed: "reverse-next", run: () => step("over", "backward") },
  { keys: ["F11"], group: "Run", does: "step into calls", typed: "step", run: () => step("into") },
  { keys: ["f", "Shift+F11"], group: "Run", does: "finish the function", typed: "finish", run: () => step("out") },
  { keys: ["F"], group: "Run", does: "back to before the call", typed: "reverse-finish", run: () => step("out", "backward") },
  { keys: ["e"], group: "Run", does: "to the next input, output or event", typed: "entry", run: () => step("entry") },
  { keys: ["E"], group: "Run", does: "to the last input, output or event", typed: "reverse-entry", run: () => step("entry", "backward") },
  { keys: ["i"], group: "Run", does: "one instruction", typed: "stepi", run: () => step("instruction") },
  { keys: ["I"], group: "Run", does: "one instruction back", typed: "reverse-stepi", run: () => step("instruction", "backward") },
  { keys: ["g"], group: "Run", does: "run to the cursor", typed: "until LINE", run: () => cursor.runTo() },
  { keys: ["R"], group: "Run", does: "to the start of the program", typed: "restart", run: () => void view.run({ command: "restart" }) },
  { keys: ["d"], group: "Device", does: "bring the device here", typed: "follow", run: () => void view.say({ command: "follow", always: null }) },
  { keys: ["D"], group: "Device", does: "the device follows every move, or no longer", typed: "follow on", run: toggleFollow },
  { keys: ["t"], group: "Go to", does: "the multiverse", typed: "", run: () => showTree(() => focus("tree")) },
  { keys: ["o"], group: "Go to", does: "the source", typed: "", run: () => (panel.show("source"), cursor.focus()) },
  { keys: ["T"], group: "Go to", does: "the timeline", typed: "", run: () => focus("time") },
  { keys: ["v"], group: "Go to", does: "variables", typed: "variables", run: () => panel.show("variables") },
  { keys: ["w"], group: "Go to", does: "watch an expression", typed: "print EXPRESSION", run: () => panel.show("variables", "new-watch") },
  { keys: ["m"], group: "Go to", does: "memory", typed: "memory ADDRESS", run: () => panel.show("memory") },
  { keys: ["/"], group: "Go to", does: "search the multiverse", typed: "", run: () => showTree(() => document.getElementById("tree-search")?.focus()) },
  { keys: ["r"], group: "What if", does: "change this reading", typed: "branches VALUES", run: () => void whatIf.change() },
  { keys: ["a"], group: "What if", does: "play all readings out", typed: "branches VALUES", run: () => void whatIf.playAll() },
  { keys: ["Alt+ArrowLeft"], group: "Go to", does: "back to the last place", typed: "jump", run: () => void view.travel("back") },
  { keys: ["Alt+ArrowRight"], group: "Go to", does: "on again", typed: "jump", run: () => void view.travel("forth") },
  { keys: ["Ctrl+K"], group: "Go to", does: "everything that can be done, by name", typed: "help", run: () => (panel.palette = true) },
  { keys: ["B", "F9"], group: "Keep", does: "breakpoint at the cursor's line", typed: "break LINE", run: () => cursor.toggle() },
  { keys: ["b"], group: "Keep", does: "name this universe", typed: "bookmark NAME", run: () => panel.show("notes", "bookmark-name") },
  { keys: ["."], group: "Keep", does: "the next step of the tour", typed: "", run: () => (guide.isOpen ? void guide.press() : guide.again()) },
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
  ["← →", "back, and on, along the way"],
  ["Home", "to the start of the way"],
  ["+ −", "zoom all states"],
  ["Esc", "pause"],
];

/** Keys that also a page without a device has. */
const ANYWHERE = ["?", "."];

/** Whether letters go into a field rather than to the debugger. */
function types(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable=true]") !== null;
}

/** How a key is written in the table. */
function written(event: KeyboardEvent): string {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    return "Ctrl+K";
  }
  const modifier = event.altKey ? "Alt+" : event.shiftKey && /^F\d/.test(event.key) ? "Shift+" : "";
  return event.ctrlKey || event.metaKey ? "" : `${modifier}${event.key}`;
}

export function onkeydown(event: KeyboardEvent): void {
  if (event.key === "Escape") {
    if (dialogs.shown) {
      dialogs.close();
    } else if (types(event.target)) {
      (event.target as HTMLElement).blur();
    } else if (view.work !== null || view.moving > 0) {
      view.pause();
    } else {
      whatIf.asked = null;
    }
    return;
  }
  ghosts.interrupt();
  const pressed = written(event);
  if (pressed === "Ctrl+K") {
    event.preventDefault();
    panel.palette = !panel.palette;
    return;
  }
  const isPlain = pressed !== "" && !panel.palette && !dialogs.shown && !types(event.target);
  if (!isPlain || (!view.info && !ANYWHERE.includes(pressed))) {
    return;
  }
  const found = KEYS.find((key) => key.keys.includes(pressed));
  if (found) {
    event.preventDefault();
    found.run();
  }
}
