// Breakpoints by the line that they are about, and where a text is wrong.

/** The breakpoint that a line asks for: a method that is received, or a message that is sent. */
export function wanted(line: string, actors: boolean): string | null {
  if (!actors) {
    return null;
  }
  const received = /\bdef\s+([A-Za-z_]\w*)\s*\(/.exec(line);
  const sent = /<-\s*([A-Za-z_]\w*)\s*\(/.exec(line);
  return sent ? `sender ${sent[1]}` : received ? `receiver ${received[1]}` : null;
}

/** The lines that a breakpoint stands on. */
export function linesOf(spec: string, text: string): number[] {
  const found = /^(receiver|sender)\s+(\w+)$/.exec(spec.trim());
  if (!found) {
    return [];
  }
  const [, side, name] = found;
  const pattern = side === "receiver" ? new RegExp(`\\bdef\\s+${name}\\s*\\(`) : new RegExp(`<-\\s*${name}\\s*\\(`);
  return text.split("\n").flatMap((line, nth) => (pattern.test(line) ? [nth + 1] : []));
}

/** Where a message says that the text is wrong: a line with its number, and a sign below the place. */
export function wrongAt(message: string): { line: number; column: number; why: string } | null {
  const lines = message.split("\n");
  const at = lines.findIndex((line) => /^\s*\d+ \| /.test(line));
  const [, before, number] = /^(\s*(\d+) \| )/.exec(lines[at] ?? "") ?? [];
  if (before === undefined || number === undefined) {
    return null;
  }
  const sign = (lines[at + 1] ?? "").indexOf("^");
  const why = lines.find((line, nth) => nth !== at && nth !== at + 1 && line.trim() !== "") ?? "";
  return { line: Number(number), column: Math.max(1, sign - before.length + 1), why: why.trim() };
}
