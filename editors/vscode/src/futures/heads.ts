// Lines about which something is to be said: where the inputs that lead there are others than those of the line before.
import type { CoveredLine } from "../../../../ui/src/wire/types";

/** The first of each stretch of lines that the same inputs lead to: those that everything leads to say nothing. */
export function heads(lines: CoveredLine[]): CoveredLine[] {
  const key = (line: CoveredLine) => (line.inputs == null ? "none" : JSON.stringify(line.inputs));
  const sorted = [...lines].sort((a, b) => a.line - b.line);
  return sorted.filter((line, at) => {
    const before = sorted[at - 1];
    const isNew = before === undefined || key(before) !== key(line) || line.line - before.line > 2;
    return isNew && (line.inputs == null || line.inputs.length > 0);
  });
}
