// Where the debugger is.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAME = process.platform === "win32" ? "borges.exe" : "borges";

/** What may name a debugger, in the order in which it is asked. */
export interface Places {
  /** The path that a user has set; nothing if it is empty. */
  setting: string;
  /** The folder of the extension, which carries one for the machine that built it. */
  extension: string;
  /** The variable PATH. */
  path: string;
}

/** The debugger's path, or nothing if there is none. A path that is set is the only one looked at. */
export function findBorges(places: Places, runs: (path: string) => boolean = isRunnable): string | undefined {
  if (places.setting !== "") {
    return runs(places.setting) ? places.setting : undefined;
  }
  const folders = [join(places.extension, "bin"), ...places.path.split(delimiter).filter((folder) => folder !== "")];
  return folders.map((folder) => join(folder, NAME)).find(runs);
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
