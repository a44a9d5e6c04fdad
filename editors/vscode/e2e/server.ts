// A code-server with the packaged extension, and a workspace of examples.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const EXAMPLES = ["blink", "color-dial", "lease", "math-actor", "philosophers", "save-notes", "wiring"];

/** Nothing that a test would have to click away, and nothing that costs time. */
const SETTINGS = {
  "breadcrumbs.enabled": false,
  "chat.commandCenter.enabled": false,
  "debug.internalConsoleOptions": "neverOpen",
  "debug.openDebug": "openOnDebugBreak",
  "debug.onTaskErrors": "debugAnyway",
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "npm.autoDetect": "off",
  "telemetry.telemetryLevel": "off",
  "testing.automaticallyOpenTestResults": "neverOpen",
  "testing.automaticallyOpenPeekView": "never",
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.layoutControl.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
};

function variable(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: scripts/vscode.sh test sets it`);
  }
  return value;
}

export class Server {
  private constructor(
    private readonly child: ChildProcess,
    private readonly home: string,
    readonly workspace: string,
    readonly url: string,
  ) {}

  static async start(): Promise<Server> {
    const home = mkdtempSync(join(tmpdir(), "borges-vscode-"));
    const at = (name: string) => join(home, name);
    const workspace = at("examples");
    for (const name of EXAMPLES) {
      cpSync(join(ROOT, "examples", name), join(workspace, name), { recursive: true });
    }
    writeFailingTests(join(workspace, "color-dial"));
    mkdirSync(at("data/User"), { recursive: true });
    writeFileSync(at("data/User/settings.json"), JSON.stringify(SETTINGS));
    writeFileSync(at("config.yaml"), "");
    const entry = join(variable("CODE_SERVER"), "node_modules/code-server/out/node/entry.js");
    const where = ["--config", at("config.yaml"), "--user-data-dir", at("data"), "--extensions-dir", at("extensions")];
    const env = { ...process.env, XDG_STATE_HOME: at("state"), NODE_OPTIONS: "" };
    const installed = spawnSync(variable("CODE_SERVER_NODE"), [entry, ...where, "--install-extension", variable("BORGES_VSIX")], { env });
    if (installed.status !== 0) {
      throw new Error(`the extension cannot be installed: ${installed.stderr.toString()}${installed.stdout.toString()}`);
    }
    const port = await freePort();
    const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const listen = ["--bind-addr", `127.0.0.1:${port}`];
    const child = spawn(variable("CODE_SERVER_NODE"), [entry, ...where, ...quiet, ...listen, workspace], { env, stdio: ["ignore", "pipe", "pipe"] });
    await new Promise<void>((found, failed) => {
      let text = "";
      const hear = (data: Buffer): void => {
        text += data.toString();
        if (text.includes("HTTP server listening on")) {
          found();
        }
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("exit", (code) => failed(new Error(`code-server ended with ${code}: ${text}`)));
    });
    return new Server(child, home, workspace, `http://127.0.0.1:${port}/`);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    await gone;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The paths of a program as tests, one of which expects that its motor turns further than it does. */
function writeFailingTests(folder: string): void {
  const file = join(folder, "color-dial.test.json");
  const given = ["paths", join(folder, "color-dial.wasm"), "--max-inputs", "2", "--write-test", file];
  const done = spawnSync(join(ROOT, "editors/vscode/bin/borges"), given, { cwd: folder });
  if (done.status !== 0) {
    throw new Error(`no tests were written: ${done.stderr.toString()}`);
  }
  writeFileSync(file, readFileSync(file, "utf8").replace("drive_motor_degrees(0, 5000, 45)", "drive_motor_degrees(0, 5000, 90)"));
}

function freePort(): Promise<number> {
  return new Promise((found) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => found(typeof address === "object" && address ? address.port : 0));
    });
  });
}
