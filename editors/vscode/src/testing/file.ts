// Files that 'borges paths --write-test' wrote. Nothing here knows the editor.

/** One path: what is read, and what the program is to do then. */
export interface PathTest {
  name: string;
  inputs: string[];
  expect: { reads: string[]; outputs: string[]; end: string };
  /** Interrupts are kept by the step before which they arrive. */
  events?: unknown[];
}

export interface TestFile {
  /** The program, from the file's folder. */
  program: string;
  board?: string;
  tests: PathTest[];
}

/** Reads a file; what is none is nothing. */
export function parse(text: string): TestFile | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return undefined;
  }
  const file = data as Partial<TestFile> & { borges_test?: number };
  const isOurs = file !== null && file.borges_test === 1 && typeof file.program === "string" && Array.isArray(file.tests);
  return isOurs ? (file as TestFile) : undefined;
}

/** The line, from 0, at which each test of a file begins: where its name stands. */
export function lines(text: string, file: TestFile): number[] {
  const all = text.split("\n");
  let from = 0;
  return file.tests.map(({ name }) => {
    const found = all.findIndex((line, at) => at >= from && line.includes(JSON.stringify(name)));
    from = found < 0 ? from : found + 1;
    return Math.max(found, 0);
  });
}

/** What each input answers, call by call, as mocks: the values of one call in their order. */
export function mocks(test: PathTest): { call: string; values: string[] }[] {
  const values = new Map<string, string[]>();
  test.expect.reads.forEach((call, at) => {
    const value = test.inputs[at];
    if (value !== undefined) {
      values.set(call, [...(values.get(call) ?? []), value]);
    }
  });
  return [...values].map(([call, values]) => ({ call, values }));
}

/** An entry of the path that a program took. */
export interface Taken {
  kind: string;
  call: string;
}

/** After how many entries a program first did something else than a test expects; nothing if it did all of it. */
export function diverged(test: PathTest, taken: Taken[]): number | undefined {
  let [reads, outputs] = [0, 0];
  for (const [at, { kind, call }] of taken.entries()) {
    if (kind === "input" && call !== test.expect.reads[reads++]) {
      return at + 1;
    }
    if (kind === "output" && call !== test.expect.outputs[outputs++]) {
      return at + 1;
    }
  }
  return undefined;
}
