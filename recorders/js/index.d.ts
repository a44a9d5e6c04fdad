/** How a program ended. */
export type Ending = 'returned' | 'exited' | 'trapped' | 'stopped';

export interface RecorderOptions {
  /** The export that is called; without it `_start`, or `main`. */
  entry?: string;
  /** Where it runs, for people; without it, what the host says of itself. */
  engine?: string;
  /** Whether an import that is not WASI's may write to memory. All may, if nobody says: the whole memory is compared then. */
  writes?: (module: string, name: string) => boolean;
  /** Whether the host may write to memory between two calls of exports. It may, if nobody says: the memory is compared then. */
  between?: boolean;
}

/** Records one run of a program. */
export class Recorder {
  constructor(bytes: Uint8Array, options?: RecorderOptions);
  /** Calls recorded so far. */
  get calls(): number;
  /** The import object with every function that the program imports replaced by one that records. */
  wrap(imports: WebAssembly.Imports): WebAssembly.Imports;
  /** Says which memory is the program's; returns the instance. */
  attach(instance: WebAssembly.Instance): WebAssembly.Instance;
  /** For a host that calls several exports: the instance, whose exported functions record that they are called. */
  entries(instance: WebAssembly.Instance): { exports: WebAssembly.Exports };
  /** The program has ended; calls from here on are not recorded. */
  finish(how?: Ending, code?: number): void;
  /**
   * What was recorded since this was asked for the last time: the parts one after the other are the recording. Once the
   * program has ended it is not copied: its `buffer` has more.
   */
  take(): Uint8Array;
}

/**
 * Runs a program and records it. `run` calls the entry of the instance, if that is not `_start()` or `main()`. A module that
 * has neither is called as often as `run` likes, by the exports that it is given.
 */
export function record<T = unknown>(
  bytes: Uint8Array,
  imports: WebAssembly.Imports,
  run?: (instance: WebAssembly.Instance) => T | Promise<T>,
  options?: RecorderOptions,
): Promise<{ recording: Uint8Array; returned?: T; thrown?: unknown }>;
