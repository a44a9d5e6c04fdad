// What is read, in words. Nothing here knows the editor.
import type { PlaceView, SuggestedInput, SuggestionListing, UniverseId } from "../../../ui/src/wire/types";

/** A universe as people write it: branch.index, or branch.index+steps. */
export function universe(id: UniverseId): string {
  return id.offset === 0 ? `${id.branch}.${id.index}` : `${id.branch}.${id.index}+${id.offset}`;
}

/** Inputs, where several calls of one input are told together: "sensor = 0, 4". */
export function inputs(read: SuggestedInput[]): string {
  const groups: { call: string; values: string[] }[] = [];
  for (const { call, value } of read) {
    const last = groups.at(-1);
    if (last?.call === call) {
      last.values.push(value);
    } else {
      groups.push({ call, values: [value] });
    }
  }
  return groups.map(({ call, values }) => `${call} = ${values.join(", ")}`).join("; ");
}

/** A number of things: "1 universe", "3 universes". */
export function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

export function place(at: PlaceView): string {
  const where = at.file != null && at.line != null ? `${at.file}:${at.line}` : (at.function ?? "the start");
  return `${where}, step ${at.steps}`;
}

/** The sets of values that lead somewhere, each as the inputs of one path: "sensor = 1..7". */
export function ways(listing: SuggestionListing): string[] {
  const found: string[] = [];
  const walk = (node: number, before: SuggestedInput[]): void => {
    const at = listing.nodes[node];
    if (at === undefined) {
      return;
    }
    if (at.end != null) {
      found.push(inputs(before));
      return;
    }
    for (const option of at.options) {
      walk(option.next, [...before, { call: at.call ?? "", value: option.set }]);
    }
  };
  walk(0, []);
  return found.filter((way) => way !== "").sort((a, b) => a.length - b.length);
}

/** Names of a line outside of its comment, each once, with their columns. */
export function names(line: string): Map<number, string> {
  const code = line.replace(/(\/\/|;;).*$/, "").replace(/"(?:[^"\\]|\\.)*"/g, (text) => " ".repeat(text.length));
  const found = new Map<string, number>();
  for (const match of code.matchAll(/[A-Za-z_]\w*/g)) {
    if (!found.has(match[0])) {
      found.set(match[0], match.index);
    }
  }
  return new Map([...found].map(([name, column]) => [column, name]));
}
