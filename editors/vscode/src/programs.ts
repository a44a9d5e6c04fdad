// Which program a file belongs to.
import { basename, dirname, extname } from "node:path";

/** Files that are programs themselves: modules, and sources of model languages. */
const PROGRAMS = [".wasm", ".at", ".oz", ".amb"];
/** Files that modules are compiled from. */
const SOURCES = [".ts", ".c", ".h", ".cc", ".cpp", ".hpp", ".rs", ".zig", ".wat"];

export function isProgram(path: string): boolean {
  return PROGRAMS.includes(extname(path).toLowerCase());
}

/** Whether a program is of a model language: these have universes of their own, and no instructions. */
export function isModel(path: string): boolean {
  return isProgram(path) && extname(path).toLowerCase() !== ".wasm";
}

export function isSource(path: string): boolean {
  return SOURCES.includes(extname(path).toLowerCase());
}

/**
 * Those of the modules that name a source in their debug information (or in the map beside them), the likeliest first.
 * Line tables and source maps hold the names of files as plain text, so that nothing has to be parsed.
 */
export function modulesOf(source: string, modules: string[], read: (path: string) => Uint8Array | undefined): string[] {
  const name = Buffer.from(basename(source));
  const names = (path: string): boolean => {
    const bytes = read(path);
    return bytes !== undefined && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(name);
  };
  const naming = modules.filter((path) => names(`${path}.map`) || names(path));
  return naming.sort((a, b) => distance(source, a) - distance(source, b) || a.length - b.length || (a < b ? -1 : 1));
}

/** How far a module is from a source: same folder and name are nearest. */
function distance(source: string, module: string): number {
  const sameFolder = dirname(source) === dirname(module);
  const sameName = stem(source) === stem(module);
  return (sameFolder ? 0 : 2) + (sameName ? 0 : 1);
}

/** Whether there is nothing to ask: the module has the source's name. */
export function isClear(source: string, module: string): boolean {
  return stem(source) === stem(module);
}

function stem(path: string): string {
  return basename(path, extname(path));
}
