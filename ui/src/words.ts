// Numbers and errors in words.

/** 1234567 as 1,234,567. */
export function grouped(count: number): string {
  // The first use of the browser's own formatter takes as long as a few pictures.
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 state`, `2,000 states`. */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** What an error says. */
export function problem(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
