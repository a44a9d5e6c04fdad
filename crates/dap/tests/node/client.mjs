// An editor of VS Code's makers, with every message that it hears held against the schema.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DebugClient } from "@vscode/debugadapter-testsupport";
import { checker } from "./check.mjs";

export const BORGES = process.env.BORGES;
export const EXAMPLES = new URL("../../../../examples", import.meta.url).pathname;

// Sessions are kept in the user's folder: a test has one of its own.
const state = mkdtempSync(join(tmpdir(), "borges-dap-"));
export const environment = { ...process.env, XDG_STATE_HOME: state };

const check = checker();

/** A client whose messages are checked as they arrive. */
class Editor extends DebugClient {
  broken = [];
  heard = 0;

  dispatch(body) {
    const message = JSON.parse(body);
    this.heard += 1;
    this.broken.push(...check(message));
    super.dispatch(body);
  }

  /** The next event of a name; several can be waited for at once. */
  event(name) {
    return new Promise((resolve) => this.once(name, (event) => resolve(event.body)));
  }

  /** A motion, up to where it stops. */
  async go(command, args = {}) {
    const stopped = this.event("stopped");
    await this.customRequest(command, { threadId: 1, ...args });
    return stopped;
  }

  /** What an editor asks at every stop: threads, frames, scopes and what is in those that are open. */
  async look(threadId) {
    const { threads } = (await this.customRequest("threads")).body;
    const id = threads.some((thread) => thread.id === threadId) ? threadId : threads[0].id;
    const { stackFrames } = (await this.customRequest("stackTrace", { threadId: id, startFrame: 0, levels: 20 })).body;
    const { scopes } = (await this.customRequest("scopes", { frameId: stackFrames[0].id })).body;
    const variables = {};
    for (const scope of scopes.slice(0, 3)) {
      const asked = { variablesReference: scope.variablesReference };
      variables[scope.name] = (await this.customRequest("variables", asked)).body.variables;
    }
    return { threads, stackFrames, scopes, variables };
  }

  async leave() {
    await this.customRequest("disconnect", {});
    if (this.broken.length > 0) throw new Error(`${this.broken.length} messages break the schema: ${this.broken[0]}`);
  }
}

function adapter() {
  const editor = new Editor(BORGES, "dap", "borges", { env: environment });
  editor.defaultTimeout = 30_000;
  return editor;
}

/** An editor at a process of its own. */
export async function start(...args) {
  const editor = adapter();
  if (args.length === 0) await editor.start();
  else {
    // The client itself knows of no arguments.
    const server = spawn(BORGES, ["dap", ...args], { env: environment, stdio: ["pipe", "pipe", "inherit"] });
    editor.connect(server.stdout, server.stdin);
  }
  return editor;
}

/** A server that listens, until the test ends. */
export async function listen(test, ...args) {
  const server = spawn(BORGES, ["--json", "dap", "--listen", "127.0.0.1:0", ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  test.after(() => server.kill());
  const said = await new Promise((resolve) => server.stdout.once("data", resolve));
  const { address, token } = JSON.parse(said);
  return { port: Number(address.split(":").pop()), token };
}

/** An editor that connects. */
export async function connect(port) {
  const editor = adapter();
  await editor.start(port);
  return editor;
}

/** Launches a program, and goes to where it stops first. */
export async function launch(editor, program, more = {}) {
  await editor.initializeRequest();
  const initialized = editor.event("initialized");
  await editor.launchRequest({ program, stopOnEntry: true, ...more });
  await initialized;
  const stopped = editor.event("stopped");
  await editor.configurationDoneRequest();
  return stopped;
}
