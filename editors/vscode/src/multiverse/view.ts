// The view 'Multiverse' of the debug side bar.
import * as vscode from "vscode";
import { jump } from "../ask";
import { command } from "../commands";
import { MULTIVERSE } from "../names";
import type { Live, Sessions } from "../sessions";
import { count } from "../words";
import { ofDevice } from "./device";
import { ofModel } from "./model";
import { Rows, type Row } from "./rows";

/** What is drawn before a row, by what it is. */
const ICONS = {
  start: "debug-start",
  branch: "git-branch",
  slice: "list-ordered",
  end: "circle-outline",
  input: "arrow-small-left",
  output: "arrow-small-right",
  event: "zap",
  step: "circle-small-filled",
} as const;

/** The editor waits for 200 ms before it asks for rows that have changed. */
const SETTLED_MS = 600;
/** What is heard of one stop is heard within so long. */
const TOGETHER_MS = 50;

class Tree implements vscode.TreeDataProvider<Row> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly asked = new vscode.EventEmitter<void>();
  private rows: Rows | undefined;
  private here: Row | undefined;
  /** Rows below rows, as they were given last. */
  private readonly given = new Map<string, Row[]>();

  /** Shows the multiverse of a session; answers the row of where it stands. */
  async show(live: Live | undefined): Promise<Row | undefined> {
    if (live?.place === undefined) {
      // What runs moves on: the last that was seen stays, and is nowhere marked.
      if (live === undefined) {
        this.rows = undefined;
        this.given.clear();
      }
      this.here = undefined;
    } else {
      const isModel = live.place.status !== undefined;
      const multiverse = await (isModel ? ofModel(live.session) : ofDevice(live.session));
      this.rows = this.rows?.grown(multiverse) ?? new Rows(multiverse);
      this.here = await this.rows.find(live.place.universe);
    }
    this.changes.fire();
    return this.here;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (this.rows === undefined) {
      return [];
    }
    const id = row?.id ?? "";
    try {
      this.given.set(id, await (row === undefined ? this.rows.roots() : this.rows.below(row)));
    } catch {
      // The program has moved on meanwhile: what was shown stays until its next stop.
    }
    if (row === undefined) {
      this.asked.fire();
    }
    return this.given.get(id) ?? [];
  }

  /** Waits until the editor has asked for the rows of what was shown last, or does not ask: the view may be folded. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        asked.dispose();
        resolve();
      };
      const timer = setTimeout(done, SETTLED_MS);
      // The rows are on their way when this is heard: they are the editor's a turn later.
      const asked = this.asked.event(() => setImmediate(done));
    });
  }

  getParent(row: Row): Row | undefined {
    return this.rows?.above(row);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(label(row));
    item.iconPath = new vscode.ThemeIcon(row.is === "entry" ? ICONS[row.entry.kind] : ICONS[row.is]);
    item.collapsibleState = this.state(row);
    const described: string[] = [];
    if (row.is === "entry" && row.entry.mocked) {
      described.push("mocked");
    }
    if (row.is === "branch") {
      described.push(count(row.branch.tip - row.branch.fork, "entry").replace("entrys", "entries"));
      if (row.branch.end !== "") {
        described.push(row.branch.end);
      }
    }
    if (row.is === "end" && row.branch.end !== "" && row.branch.end !== "open") {
      item.iconPath = new vscode.ThemeIcon(row.branch.end === "end" || row.branch.end === "finished" ? "pass" : "warning");
    }
    if (row === this.here) {
      described.unshift("◀ here");
      item.iconPath = new vscode.ThemeIcon("debug-stackframe", new vscode.ThemeColor("debugIcon.continueForeground"));
    }
    item.description = described.join(" · ");
    const universe = this.universe(row);
    if (universe !== undefined) {
      item.tooltip = `Universe ${universe}: click to go there`;
      item.command = { command: "borges.jumpToRow", title: "Go there", arguments: [universe] };
      item.contextValue = "universe";
      item.accessibilityInformation = { label: `${label(row)}, universe ${universe} ${item.description}` };
    }
    return item;
  }

  /** The universe that a row stands for. */
  private universe(row: Row): string | undefined {
    const name = (branch: number, index: number) => this.rows?.multiverse.name(branch, index);
    switch (row.is) {
      case "start":
        return name(0, 0);
      case "entry":
        return name(row.branch, row.index);
      case "branch":
        return name(row.branch.id, row.branch.fork + 1);
      case "end":
        return name(row.branch.id, row.branch.tip);
      case "slice":
        return undefined;
    }
  }

  private state(row: Row): vscode.TreeItemCollapsibleState {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    switch (row.is) {
      case "start":
        return this.rows?.isFork(0, 0) === true ? Expanded : None;
      case "entry":
        return this.rows?.isFork(row.branch, row.index) === true ? Expanded : None;
      case "branch":
      case "slice":
        return Collapsed;
      case "end":
        return None;
    }
  }
}

function label(row: Row): string {
  switch (row.is) {
    case "start":
      return "start";
    case "branch":
      return row.first?.text ?? `branch ${row.branch.id}`;
    case "slice":
      return `entries ${row.from + 1} to ${row.to}`;
    case "entry":
      return row.entry.text;
    case "end":
      return row.branch.end === "" ? "open: go on, and it does" : row.branch.end;
  }
}

/** Whether the view was opened for who does not know it: that is done once, and then it is theirs. */
const WAS_OPENED = "multiverse.wasOpened";

export function registerMultiverse(sessions: Sessions, memory: vscode.Memento): vscode.Disposable {
  const tree = new Tree();
  const view = vscode.window.createTreeView(MULTIVERSE, { treeDataProvider: tree, showCollapseAll: true });
  let timer: NodeJS.Timeout | undefined;
  let latest = 0;
  const show = async (turn: number): Promise<void> => {
    const live = sessions.active;
    const isNew = !memory.get(WAS_OPENED, false);
    if (!view.visible && !isNew && live !== undefined) {
      return;
    }
    try {
      const here = await tree.show(live);
      // Who reveals a row while the others are asked for gets all of them twice.
      await tree.settled();
      if (turn === latest && here !== undefined) {
        await view.reveal(here, { select: true, focus: false, expand: false });
        await memory.update(WAS_OPENED, true);
      }
    } catch (error) {
      // The session has ended meanwhile, or moves again: the next stop is shown.
      console.debug("borges: the multiverse was not shown", error);
    }
  };
  const plan = (): void => {
    clearTimeout(timer);
    const turn = ++latest;
    timer = setTimeout(() => void show(turn), TOGETHER_MS);
  };
  return vscode.Disposable.from(
    view,
    sessions.onDidMove(plan),
    sessions.onDidChange(plan),
    view.onDidChangeVisibility(plan),
    { dispose: () => clearTimeout(timer) },
    command("borges.jumpToRow", async (universe: string) => jump(sessions.standing().session, universe)),
  );
}
