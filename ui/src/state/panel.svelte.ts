// Which panels are shown, wherever the shape of the page puts them.
import { flushSync } from "svelte";
import { shape } from "./shape.svelte";

/** What stands in the left flank. */
export const FLANK = ["source", "board", "inputs", "variables", "stack", "breakpoints", "notes", "memory", "files"] as const;
/** What the sheet shows. */
export const VIEWS = ["tree", "states", "futures", "table"] as const;
export type FlankName = (typeof FLANK)[number];
export type ViewName = (typeof VIEWS)[number];
export type PanelName = FlankName | ViewName;
export type PhoneName = "tree" | "source" | "state" | "inputs";

function isView(name: PanelName): name is ViewName {
  return (VIEWS as readonly string[]).includes(name);
}

class Panel {
  flank = $state<FlankName>("source");
  view = $state<ViewName>("tree");
  /** What the program read and did, or what it printed. */
  log = $state<"done" | "serial">("done");
  phone = $state<PhoneName>("tree");
  palette = $state(false);
  /** Whether the form that counts all states is open. */
  isCounting = $state(false);

  /** Brings a panel to the front, and a field of it under the keys. */
  show(name: PanelName, field?: string): void {
    if (isView(name)) {
      this.view = name;
      this.phone = "tree";
    } else if (name === "source" || name === "inputs") {
      this.flank = shape.columns === 3 ? (name === "source" ? name : this.flank) : name;
      this.phone = name;
    } else {
      // What is always in sight has no tab.
      const isOutside = name === "board" || name === "files";
      this.flank = isOutside && shape.columns === 3 ? this.flank : name;
      this.phone = isOutside ? "inputs" : "state";
    }
    // Now, not with the next frame: the keys that follow belong into the field.
    flushSync();
    document.getElementById(field ?? `tab-${name}`)?.focus();
  }
}

export const panel = new Panel();
