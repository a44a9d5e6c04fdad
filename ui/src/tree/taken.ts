// How many of the recordings that were merged into the multiverse went which way: as the width of a line, and in words.
import { counted, grouped } from "../words";
import type { Multiverse, Place } from "./model";

/** Widths of the lines that one recording took, and all of them. */
const [ONE, ALL] = [2, 8];

/** The more, the wider; ten times as many are as much wider wherever one looks. */
export function widthOf(taken: number, all: number): number {
  return all > 1 ? ONE + (ALL - ONE) * (Math.log(taken) / Math.log(all)) : ALL;
}

/** How many took the entry that leads to a place; nothing where none were merged. */
export function takenAt(model: Multiverse, place: Place): string {
  const at = model.canonical(place);
  const row = model.rowOf(at.branch);
  return model.recordings === 0 || row === undefined ? "" : `${grouped(model.taken(row, at.index))} of ${counted(model.recordings, "recording")}`;
}
