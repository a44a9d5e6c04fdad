// What is known of how branches came out, by the row of the multiverse.
import type { Tint } from "./paint";

class Tints {
  rows = $state.raw<ReadonlyMap<number, Tint>>(new Map());
}

export const tints = new Tints();
