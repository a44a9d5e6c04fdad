// VS Code's window, as a user's hands and eyes have it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type FrameLocator, type Locator, type Page } from "playwright-core";
import { ROOT } from "./server";

const PICTURES = process.env["BORGES_PICTURES"] ?? join(ROOT, "target/vscode-pictures");
/** The machine may be busy with other things; who writes a scenario wants to see it fail sooner. */
const PATIENCE_MS = Number(process.env["BORGES_PATIENCE_MS"] ?? 45_000);
/** After so long a click that did nothing is repeated. */
const AGAIN_MS = 3_000;

export class Workbench {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async open(url: string): Promise<Workbench> {
    mkdirSync(PICTURES, { recursive: true });
    const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    await page.locator(".monaco-workbench .part.statusbar").waitFor();
    return new Workbench(browser, page);
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  async picture(name: string): Promise<void> {
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }

  /** Opens a file by the end of its path. */
  async file(name: string, line?: number, column = 1): Promise<void> {
    const short = name.split("/").at(-1)!;
    await again(async () => {
      await this.page.keyboard.press("Control+p");
      await this.enter(name, short);
    }, this.page.locator(".tab.active", { hasText: short }));
    if (line !== undefined) {
      await this.page.locator(".editor-group-container.active .view-lines .view-line").first().waitFor();
      await again(async () => {
        await this.page.keyboard.press("Control+g");
        await this.enter(`:${line}:${column}`);
      }, this.position(line));
    }
  }

  /** Sets a breakpoint on a line of a file, or takes it away. */
  async breakpoint(file: string, line: number): Promise<void> {
    await this.file(file, line);
    await this.page.keyboard.press("F9");
  }

  /** Waits until the extension knows the program of the file that is shown, and debugs it. */
  async f5(): Promise<void> {
    await this.page.locator(".editor-actions .codicon-debug-alt").first().waitFor();
    await this.page.keyboard.press("F5");
  }

  /** Carries out a command by its title. */
  async command(title: string): Promise<void> {
    let isDone = false;
    for (let left = PATIENCE_MS; left > 0 && !isDone; left -= AGAIN_MS) {
      await this.page.keyboard.press("F1");
      isDone = await this.enter(`>${title}`, title).then(
        () => true,
        () => false,
      );
    }
    await this.page.locator(".quick-input-widget", { hasText: title }).waitFor({ state: "hidden" });
  }

  /**
   * Puts a text into the box at the top and enters it, or chooses the row with a text. A stop takes the box away, and an
   * editor that opens late takes the keys: a text that is typed would then be in a file, and saved.
   */
  private async enter(text: string, row?: string): Promise<void> {
    const widget = this.page.locator(".quick-input-widget");
    const box = widget.locator(".quick-input-box input");
    await box.waitFor({ timeout: AGAIN_MS });
    await box.evaluate((input, text) => {
      (input as HTMLInputElement).value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }, text);
    if (row === undefined) {
      await box.press("Enter", { timeout: AGAIN_MS });
      return;
    }
    // While files are sought, rows become others under the mouse.
    await widget.locator(".monaco-progress-container.active").waitFor({ state: "detached", timeout: AGAIN_MS });
    await widget.locator(".monaco-list-row", { hasText: row }).first().click({ timeout: AGAIN_MS });
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Goes to where the name under the cursor is bound: to a line. */
  async definition(line: number): Promise<void> {
    // The language server may have to start first.
    await again(() => this.page.keyboard.press("F12"), this.position(line));
  }

  /** What the bar at the bottom says while the cursor is on a line. */
  private position(line: number): Locator {
    return this.page.locator("#status\\.editor\\.selection", { hasText: new RegExp(`^Ln ${line},`) });
  }

  /** Waits until the program stands at a line, and a universe or step of the status bar. */
  async stands(line: number | undefined, place: RegExp): Promise<void> {
    await this.status(place);
    if (line !== undefined) {
      await this.page.locator(".debug-top-stack-frame-line").first().waitFor();
      await this.position(line).waitFor();
    }
  }

  /**
   * Moves the program by a key or a click, and waits until it stands elsewhere. The extension hears of a stop before the
   * editor does: a key that comes in between does nothing, and is pressed again.
   */
  async move(by: string | Locator, line: number | undefined, place: RegExp): Promise<void> {
    const status = this.page.locator(".statusbar-item", { hasText: /universe \d|running/ }).first();
    const before = (await status.textContent()) ?? "";
    for (let left = PATIENCE_MS; left > 0; left -= AGAIN_MS) {
      const moving = typeof by === "string" ? this.page.keyboard.press(by) : by.click({ timeout: AGAIN_MS });
      await moving.catch(() => undefined);
      const same = this.page.locator(".statusbar-item", { hasText: before });
      if (await same.waitFor({ state: "detached", timeout: AGAIN_MS }).then(() => true, () => false)) {
        break;
      }
    }
    await this.stands(line, place);
  }

  async status(place: RegExp): Promise<void> {
    await this.page.locator(".statusbar-item", { hasText: place }).first().waitFor();
  }

  /** A button of the bar that debugs. */
  toolbar(title: string): Locator {
    return this.page.locator(`.debug-toolbar [aria-label^="${title}"]`);
  }

  /** Rows of a view of the side bar. */
  view(title: string): Locator {
    return this.page.locator(".split-view-view .pane", { has: this.page.locator(`.pane-header h3.title`, { hasText: title }) });
  }

  row(view: string, text: string | RegExp): Locator {
    return this.view(view).locator(".monaco-list-row", { hasText: text }).first();
  }

  /** Opens a row of a view. */
  async expand(view: string, text: string): Promise<void> {
    const row = this.row(view, text);
    await again(
      () => row.click({ timeout: AGAIN_MS }),
      this.view(view).locator(".monaco-list-row[aria-expanded=true]", { hasText: text }),
    );
  }

  /** Gives a variable another value. */
  async setValue(name: string, value: string): Promise<void> {
    const row = this.row("Variables", name);
    await again(async () => {
      await row.dblclick({ timeout: AGAIN_MS });
      const box = this.view("Variables").locator("input:visible");
      await box.fill(value, { timeout: AGAIN_MS });
      await box.press("Enter", { timeout: AGAIN_MS });
    }, this.row("Variables", value));
  }

  /** Folds a view of the side bar. */
  async fold(title: string): Promise<void> {
    const header = this.view(title).locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) === "true") {
      await header.click();
    }
  }

  /** What is in the webview that is shown. */
  webview(): FrameLocator {
    return this.page.frameLocator("iframe.webview.ready").last().frameLocator("#active-frame");
  }

  async closeTab(title: string): Promise<void> {
    const tab = this.page.locator(".tab", { hasText: title });
    await tab.locator(".tab-actions .action-label").click();
    await tab.waitFor({ state: "hidden" });
  }

  /** Puts the keys into the source. */
  async focusSource(): Promise<void> {
    await this.page.keyboard.press("Control+1");
  }

  /** Opens the menu of what can be done about a problem. */
  async quickFix(text: string): Promise<void> {
    const menu = this.page.locator(".action-widget", { hasText: text });
    await again(() => this.page.keyboard.press("Control+."), menu);
  }

  /** Chooses a row of the list at the top, which a click may have to open. */
  async choose(text: RegExp, opener?: Locator): Promise<void> {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
    if (opener !== undefined) {
      // A stop draws anew what is clicked at.
      await again(() => opener.click({ timeout: AGAIN_MS }), row);
    }
    await row.click();
  }

  /** Ends the session, and waits until the editor has. */
  async stop(): Promise<void> {
    await this.page.keyboard.press("Shift+F5");
    await this.page.locator(".debug-toolbar").waitFor({ state: "hidden" });
  }
}

/** Does something until it shows: rows are replaced after every stop, and what was begun on the old ones is lost. */
async function again(act: () => Promise<void>, shows: Locator): Promise<void> {
  for (let left = PATIENCE_MS; left > 0 && !(await shows.isVisible()); left -= AGAIN_MS) {
    await act().catch(() => undefined);
    await shows.waitFor({ timeout: AGAIN_MS }).catch(() => undefined);
  }
  await shows.waitFor();
}
