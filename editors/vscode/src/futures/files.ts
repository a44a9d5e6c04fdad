// A program names its files as it was built; the debugger knows where they are here.

/** A file of a program, as the debugger tells it; with a reference it is only in the program's debug information. */
export interface Source {
  path?: string;
  sourceReference?: number;
}

export class Files {
  private readonly paths: string[];

  constructor(sources: Source[]) {
    const here = sources.filter((source) => source.path !== undefined && !source.sourceReference);
    this.paths = here.map((source) => source.path!);
  }

  /** Where a file of the program is, if it is on this machine. */
  path(file: string): string | undefined {
    const parts = segments(file);
    const ends = (path: string, count: number): boolean => {
      const own = segments(path).slice(-count);
      return own.length === count && own.every((part, at) => part === parts[parts.length - count + at]);
    };
    // As much of the name as fits: the folders above may be those of another machine.
    for (let count = parts.length; count > 0; count--) {
      const found = this.paths.filter((path) => ends(path, count));
      if (found.length === 1) {
        return found[0];
      }
    }
    return undefined;
  }
}

/** A place as the session writes it, "blink/blink.rs:57". */
export function parsePlace(place: string): { file: string; line: number } | undefined {
  const parts = /^(.+):(\d+)$/.exec(place);
  return parts ? { file: parts[1]!, line: Number(parts[2]) } : undefined;
}

function segments(path: string): string[] {
  return path.split(/[\\/]/).filter((part) => part !== "" && part !== ".");
}
