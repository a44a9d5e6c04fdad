// Numbers, errors and mocks in words.
import type { MockValues } from "./wire/types";

/** 1234567 as 1,234,567. */
export function grouped(count: number): string {
  // The first use of the browser's own formatter takes as long as a few pictures.
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 state`, `2,000 states`. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${count === 1 ? what : plural(what)}`;
}

/** More than one of a thing: branches, entries, states. */
function plural(what: string): string {
  return /(ch|sh|s|x)$/.test(what) ? `${what}es` : what.replace(/([^aeou])y$/, "$1ie") + "s";
}

/** What an error says. */
export function problem(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a call comes to, as it is typed. */
export function mockedAs(values: MockValues): string {
  return "sequence" in values ? values.sequence.join(", ") : `${values.then.join(", ")}, then live`;
}

/** A time on the board, as long as it is: `350 µs`, `630 ms`, `2.01 s`, `3 h 20 min`. */
export function duration(us: number): string {
  const seconds = us / 1_000_000;
  if (us < 1000) {
    return `${us} µs`;
  }
  if (seconds < 1) {
    return `${Math.round(us / 100) / 10} ms`;
  }
  if (seconds < 600) {
    return `${seconds.toFixed(2)} s`;
  }
  const minutes = Math.floor(seconds / 60);
  return minutes < 600 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
