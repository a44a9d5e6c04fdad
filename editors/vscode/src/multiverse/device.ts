// The multiverse of a program of a device or of WASI, as its session tells it.
import type { DebugSession } from "vscode";
import type { EntryRow } from "../../../../ui/src/wire/types";
import { ask } from "../ask";
import type { Entry, Multiverse } from "./rows";

export async function ofDevice(session: DebugSession): Promise<Multiverse> {
  const { branches } = await ask(session, { command: "multiverse" }, "multiverse");
  return {
    branches: branches.map(({ branch, parent, fork, tip, end, words }) => ({
      id: branch,
      parent,
      fork,
      tip,
      end: end === "open" ? "" : words || end,
    })),
    async entries(branch, from, count) {
      const told = await ask(session, { command: "entries", branch, from, count, calls: true }, "entries");
      // Entries before the branch are its parent's: they are told from where it begins.
      return told.entries.map(entry).slice(0, count);
    },
    name: (branch, index) => `${branch}.${index}`,
    find(universe) {
      const parts = /^(\d+)\.(\d+)/.exec(universe);
      return parts ? { branch: Number(parts[1]), index: Number(parts[2]) } : undefined;
    },
  };
}

function entry({ call, value, kind, mocked }: EntryRow): Entry {
  return { text: value == null ? call : `${call} = ${value}`, kind, mocked };
}
