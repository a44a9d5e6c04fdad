// A server and a browser for tests of the page.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const DIAL = join(ROOT, "examples/color-dial/color-dial.wasm");

/** The command under test: `BORGES`, or what cargo built last. */
export function borges(): string {
  const target = process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "target");
  const candidates = [process.env["BORGES"], join(target, "debug/borges"), join(target, "release/borges")];
  const found = candidates.find((path) => path !== undefined && existsSync(path));
  if (!found) {
    throw new Error("there is no borges to test: cargo build -p borges-cli");
  }
  return found;
}

export class Server {
  private constructor(
    readonly process: ChildProcess,
    readonly url: string,
    readonly home: string,
  ) {}

  /** Starts `borges debug` and waits for its address. */
  static async start(args: string[], options: { port?: number; token?: string; home?: string } = {}): Promise<Server> {
    const home = options.home ?? mkdtempSync(join(tmpdir(), "borges-page-"));
    const port = options.port === undefined ? [] : ["--port", String(options.port)];
    const child = spawn(borges(), ["--json", "debug", ...args, "--no-browser", "--no-prompt", ...port], {
      cwd: ROOT,
      env: {
        ...process.env,
        XDG_STATE_HOME: home,
        ...(options.token === undefined ? {} : { BORGES_TOKEN: options.token }),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const url = await new Promise<string>((found, failed) => {
      let text = "";
      child.stdout.on("data", (data: Buffer) => {
        text += data.toString();
        const line = text.split("\n")[0];
        if (text.includes("\n") && line) {
          found((JSON.parse(line) as { url: string }).url);
        }
      });
      child.on("exit", (code) => failed(new Error(`borges debug ended with ${code}: ${text}`)));
    });
    return new Server(child, url, home);
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) {
      return;
    }
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGKILL");
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export async function freePort(): Promise<number> {
  return new Promise((found) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address ? address.port : 0;
      probe.close(() => found(port));
    });
  });
}

export async function launch(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"] });
}

/** Opens the page, after `prepare` if something must be there before it. */
export async function open(context: BrowserContext, url: string, prepare?: (page: Page) => Promise<void>): Promise<Page> {
  const page = await context.newPage();
  await prepare?.(page);
  const disk = process.env["PAGE_FROM_DISK"];
  if (disk) {
    // While the page is written: what was built last, or into a folder, without building the command again.
    const folder = disk === "1" ? join(ROOT, "crates/web/page") : disk;
    for (const [file, type] of [
      ["page.js", "text/javascript"],
      ["page.css", "text/css"],
      ["sans.woff2", "font/woff2"],
      ["mono.woff2", "font/woff2"],
    ] as const) {
      const body = () => readFileSync(join(folder, file));
      await page.route(`**/${file}`, (route) => route.fulfill({ body: body(), contentType: type }));
    }
  }
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => {
    throw error;
  });
  await page.goto(url);
  return page;
}

/** Brings a panel of the left flank to the front: by its tab, or by the menu of those without room. */
export async function panel(page: Page, name: string): Promise<void> {
  const tab = page.getByRole("tab", { name: new RegExp(`^${name}`) });
  if (await tab.isVisible()) {
    await tab.click();
    return;
  }
  await page.getByRole("button", { name: "More of Panels" }).click();
  await page.getByRole("menuitem", { name }).click();
  await tab.waitFor();
}

/** Waits until the page shows a program and nothing is under way. */
export async function ready(page: Page): Promise<void> {
  await page.waitForSelector(".universe");
}

/** The universe that the page shows, such as `0.4+7`. */
export async function universe(page: Page): Promise<string> {
  return (await page.locator(".universe").textContent()) ?? "";
}

/** Presses a key and waits until another universe is shown, and the program stands still there. */
export async function move(page: Page, key: string): Promise<void> {
  const before = await universe(page);
  await page.keyboard.press(key);
  await page.waitForFunction((old) => {
    const run = document.querySelector('[data-tour="run"]');
    return document.querySelector(".universe")?.textContent !== old && !run?.getAttribute("title")?.startsWith("Pause");
  }, before);
}
