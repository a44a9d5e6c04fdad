// What is known of all runs, in words.
import type { Demand, DemandReport, Proved, TrapReport } from "../wire/types";
import { counted } from "../words";

export const verdicts: Record<Proved, string> = {
  holds: "holds, over all inputs, for ever",
  fails: "does not hold",
  maybe: "maybe",
  unknown: "nobody knows: not all states were looked at",
};

/** What came of a demand, in words. */
export function said(report: DemandReport): string {
  const none = "holds in no state, for ever";
  const words: Record<Demand, Partial<Record<Proved, string>>> = {
    never: { holds: none, fails: `holds ${report.where ?? "somewhere"}` },
    always: { holds: "holds in every state, for ever", fails: `does not hold ${report.where ?? "somewhere"}` },
    toward: { holds: `holds ${report.where ?? "somewhere"}`, fails: none },
    limit: { holds: "is never broken, for ever", fails: `is broken ${report.where ?? "somewhere"}` },
  };
  const note = report.note ? `: ${report.note}` : "";
  return `${report.demand} ${report.condition}: ${words[report.demand][report.verdict] ?? verdicts[report.verdict]}${note}`;
}

/** A trap, with how far it is. */
export function trapWords(trap: TrapReport): string {
  return `${trap.what} at ${trap.where}, in ${counted(trap.inputs, "input")}${trap.certain ? "" : ", maybe"}`;
}
