// Where the files of a program that is debugged are.
import { Uri, type DebugSession } from "vscode";
import { Files, type Source } from "./files";

export async function filesOf(session: DebugSession): Promise<Files> {
  const { sources } = (await session.customRequest("loadedSources")) as { sources: Source[] };
  return new Files(sources.map((source) => ({ ...source, path: source.path && local(source.path) })));
}

/** The editor makes addresses of paths on their way here, where it is on another machine than the debugger. */
function local(path: string): string {
  return /^[a-z][\w+.-]+:\/\//i.test(path) ? Uri.parse(path).fsPath : path;
}
