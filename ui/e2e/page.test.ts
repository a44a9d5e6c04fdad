// Real work on the colour dial, in a real browser.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { borges, DIAL, freePort, launch, move, open, panel, ready, ROOT, Server, universe } from "./support";

let browser: Browser;
let server: Server;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});
beforeEach(async () => {
  server = await Server.start([DIAL]);
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  page = await open(context, server.url);
  await ready(page);
});
afterEach(async () => {
  await context.close();
  await server.stop();
});

/** The needle, as a person sees it. */
const needle = async (): Promise<string> => (await page.locator(".board figcaption").first().textContent()) ?? "";

/** Goes to the first reading of the sensor that is not zero, and past the turn of the motor. */
async function turn(): Promise<void> {
  for (let n = 0; n < 12; n++) {
    await move(page, "e");
    if (/90°/.test(await needle())) {
      return;
    }
  }
  throw new Error("the motor did not turn");
}

/** A page of another server, at its futures. */
async function futures(url: string): Promise<Page> {
  const tab = await open(context, url);
  await ready(tab);
  // Its card would lie on what is clicked.
  await tab.getByRole("button", { name: "Close the tour" }).click();
  await tab.getByRole("tab", { name: /Futures/ }).click();
  return tab;
}

/** Back to before the reading that decided it. */
async function backToReading(): Promise<void> {
  for (let n = 0; n < 12 && !(await page.getByText("reads next").isVisible()); n++) {
    await move(page, "E");
  }
}

test("the dial turns back by stepping back, and the device follows", async () => {
  await turn();
  expect(await needle()).toContain("90°");
  await page.keyboard.press("E");
  await page.getByLabel("Motor 0: 0 degrees").waitFor();
  // Only the view moved: the device says so, and comes when it is asked.
  await page.getByText(/device at 0\.\d/).waitFor();
  await page.keyboard.press("d");
  await page.getByText(/1 outputs? undone, 0 performed again/).waitFor();
  await page.locator(".device-here").waitFor();
});

test("a breakpoint by click stops there, and goes by click", async () => {
  const line = page.locator(".cm-stops .cm-gutterElement").nth(19);
  await line.click();
  await page.locator(".bullet").waitFor();
  await page.keyboard.press("c");
  await page.getByText("breakpoint 1", { exact: true }).waitFor();
  expect(await page.locator(".where").textContent()).toContain("turnTo");
  await page.locator(".cm-stops .cm-gutterElement:has(.bullet)").click();
  await page.waitForFunction(() => document.querySelectorAll(".bullet").length === 0);
});

test("a mock takes another branch, and a jump across branches undoes effects in order", async () => {
  await turn();
  const first = await universe(page);
  await backToReading();
  await page.getByRole("button", { name: "5", exact: true }).click();
  await page.getByText(/read_uart_sensor\(0\) = 5 from now on, once/).waitFor();
  await page.keyboard.press("e");
  await page.waitForFunction(() => document.querySelector(".universe")?.textContent?.startsWith("1."));
  await move(page, "e");
  await page.getByLabel("Motor 0: 225 degrees").waitFor();
  await page.getByText("2 branches").waitFor();
  // Across: the turn to 225 is undone, the one to 90 performed.
  const place = first.split("+")[0] ?? "";
  await page.locator("#tree-search").fill(place);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Jump" }).click();
  await page.getByLabel("Motor 0: 90 degrees").waitFor();
  await page.locator(".universe").click();
  await page.keyboard.press("d");
  await page.getByText(/[12] outputs? undone, 1 performed again/).waitFor();
});

test("values outside the codomain are refused", async () => {
  await turn();
  await backToReading();
  const values = await page.getByRole("group", { name: /read_uart_sensor\(0\) reads/ }).getByRole("button").allTextContents();
  expect(values).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  const typed = spawnSync(borges(), ["repl", "--attach", server.url, "-x", "mock read_uart_sensor(0) = 9"], { encoding: "utf8" });
  expect(typed.stdout + typed.stderr).toContain("cannot be 9 here");
});

test("a prompt and two tabs look at one session", async () => {
  const tab = await open(context, server.url);
  await ready(tab);
  await move(page, "e");
  await tab.waitForFunction((shown) => document.querySelector(".universe")?.textContent === shown, await universe(page));
  const typed = spawnSync(borges(), ["repl", "--attach", server.url, "-x", "entry", "-x", "break turnTo"], { encoding: "utf8" });
  expect(typed.status).toBe(0);
  await page.waitForFunction(() => document.querySelector(".universe")?.textContent?.startsWith("0.2"));
  await panel(tab, "Breakpoints");
  await tab.getByRole("list", { name: "Breakpoints" }).getByText("turnTo", { exact: false }).waitFor();
});

test("a shared link opens in the same place in another browser", async () => {
  await turn();
  const here = await page.locator(".where").textContent();
  await page.keyboard.press("y");
  const link = page.locator("#share-link");
  await page.waitForFunction(() => /m1-/.test((document.querySelector("#share-link") as HTMLInputElement | null)?.value ?? ""));
  const url = await link.inputValue();
  const command = await page.locator("#share-command").inputValue();
  const moment = / --at (\S+)/.exec(command)?.[1] ?? "";
  const elsewhere = await Server.start([DIAL, "--at", moment]);
  const other = await browser.newContext();
  try {
    const there = await open(other, elsewhere.url);
    await ready(there);
    await there.getByLabel("Motor 0: 90 degrees").waitFor();
    const steps = (text: string | null) => /step [\d,]+/.exec(text ?? "")?.[0];
    expect(steps(await there.locator(".where").textContent())).toBe(steps(here));
    // And the link itself, in a second context at the first server.
    await page.keyboard.press("Escape");
    await page.keyboard.press("R");
    await page.waitForFunction(() => document.querySelector(".universe")?.textContent === "0.0");
    const again = await open(other, url);
    await again.getByLabel("Motor 0: 90 degrees").waitFor();
  } finally {
    await other.close();
    await elsewhere.stop();
  }
});

test("a killed server is noticed, and the page recovers with all that it had shown", async () => {
  await server.stop();
  const home = mkdtempSync(join(tmpdir(), "borges-kill-"));
  const [port, token] = [await freePort(), "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0"];
  const file = join(home, "dial.borges");
  const again = () => Server.start([DIAL, "--session", file], { port, token, home });
  server = await again();
  page = await open(context, server.url);
  await ready(page);
  await turn();
  const entries = await page.locator(".sheet .amount").first().textContent();
  await server.kill();
  await page.getByRole("alert").filter({ hasText: "server has gone" }).waitFor();
  server = await again();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.waitForFunction((text) => document.querySelector(".sheet .amount")?.textContent === text, entries);
  // Wherever the new server stands: back at the start, and to the turn again.
  await page.keyboard.press("R");
  await page.waitForFunction(() => document.querySelector(".universe")?.textContent === "0.0");
  await page.locator("#tree-search").fill("0.5");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Jump" }).click();
  await page.getByLabel("Motor 0: 90 degrees").waitFor();
});

test("all of it by keyboard", async () => {
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("run to a breakpoint").waitFor();
  await page.keyboard.press("Escape");
  for (let n = 0; n < 6; n++) {
    await move(page, "e");
  }
  const end = await universe(page);
  // In the tree: back by arrow, jump by Enter.
  await page.keyboard.press("t");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("h");
  await page.keyboard.press("Enter");
  await page.waitForFunction((old) => document.querySelector(".universe")?.textContent !== old, end);
  const item = page.getByRole("treeitem", { selected: true }).first();
  expect(await item.textContent()).toMatch(/here/);
  // A bookmark, a search, the source.
  await page.keyboard.press("b");
  await page.keyboard.type("before");
  await page.keyboard.press("Enter");
  await page.getByText("before", { exact: true }).first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("R");
  await page.waitForFunction(() => document.querySelector(".universe")?.textContent === "0.0");
  await page.keyboard.press("/");
  await page.keyboard.type("read_uart_sensor = 2");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Jump" }).waitFor();
});

test("a program that is rebuilt can be uploaded", async () => {
  await server.stop();
  const folder = mkdtempSync(join(tmpdir(), "borges-upload-"));
  try {
    const copy = join(folder, "program.wasm");
    copyFileSync(DIAL, copy);
    copyFileSync(join(ROOT, "examples/color-dial/board.toml"), join(folder, "board.toml"));
    server = await Server.start([copy]);
    page = await open(context, server.url);
    await ready(page);
    mkdirSync(join(folder, "x"));
    copyFileSync(join(ROOT, "examples/light-sensor/light-sensor.wasm"), copy);
    await page.getByRole("button", { name: "Rebuilt: upload" }).click();
    await page.getByRole("button", { name: "Rebuilt: upload" }).waitFor({ state: "detached" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the start page opens examples and recent sessions", async () => {
  const empty = await Server.start([], { home: server.home });
  try {
    const start = await open(context, empty.url);
    await start.getByRole("heading", { name: "Recent sessions" }).waitFor();
    await start.locator("section[aria-label='Examples'] button", { hasText: "Binary counter" }).click();
    await ready(start);
    expect(await start.getByRole("heading", { level: 1 }).textContent()).toContain("binary-counter");
  } finally {
    await empty.kill();
  }
});

test("an example chosen on the start page finds its folders, and its tour", async () => {
  const empty = await Server.start([]);
  try {
    const start = await open(context, empty.url);
    await start.locator("section[aria-label='Examples'] button", { hasText: "Save notes" }).click();
    await ready(start);
    await start.getByRole("table", { name: "Files and what changed" }).getByText("/data/notes.txt").waitFor();
    await start.getByRole("region", { name: "Tour" }).waitFor();
    expect(await start.getByText("Nothing is wired yet").count()).toBe(0);
  } finally {
    await empty.stop();
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme });
    await turn();
    await page.keyboard.press("E");
    await page.addScriptTag({ path: join(ROOT, "ui/node_modules/axe-core/axe.min.js") }).catch(async () => {
      // The page's policy forbids other scripts: as a test, not as a page.
      await page.evaluate((await import("node:fs")).readFileSync(join(ROOT, "ui/node_modules/axe-core/axe.min.js"), "utf8"));
    });
    const check = async (what: string) => {
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
        return (await axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join("\n   ")}`);
      });
      expect(violations, what).toEqual([]);
    };
    await check("the desk");
    for (const tab of ["Variables", "Stack", "Breakpoints", "Memory", "Notes"]) {
      await panel(page, tab);
      await check(tab);
    }
    for (const tab of ["States", "Futures", "Tree"]) {
      await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
      await check(tab);
    }
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await check("the palette");
    await page.keyboard.press("Escape");
    await page.locator(".universe").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await check("the sheet");
  });
}

test("all states are counted from the universe shown, and held to a condition", async () => {
  const other = await Server.start([join(ROOT, "examples/while/while.wasm")]);
  try {
    const tab = await futures(other.url);
    await tab.getByText("More states than there is room for").click();
    const survey = tab.getByRole("form", { name: "Survey" });
    const count = survey.getByRole("button", { name: "Count all states" });
    await survey.getByLabel("Cores").fill("1");
    await survey.getByLabel("Goal").fill("darkest == brightest");
    await count.click();
    await survey.getByText(/^Complete, over all inputs for ever: \d+ states from 0\.0$/).waitFor();
    const figure = survey.locator("div", { has: tab.getByText("cores", { exact: true }) }).locator("dd");
    expect(await figure.textContent()).toBe("1");
    // What breaks it comes with its inputs, open to read.
    await survey.getByText(/^never darkest == brightest: holds /).waitFor();
    await survey.getByText(/^integer divide by zero at wiring/).waitFor();
    await survey.getByText(/^chip_analog_read\(34\) = /).first().waitFor();
    // It is still there after one looked at something else.
    await tab.getByRole("tab", { name: "Tree" }).click();
    await tab.getByRole("tab", { name: /Futures/ }).click();
    await survey.getByText(/^Complete, over all inputs for ever: /).waitFor();
    await survey.getByLabel("What must be").selectOption("always");
    await survey.getByLabel("Goal").fill("brightest <= 4095");
    await count.click();
    await survey.getByText("always brightest <= 4095: holds in every state, for ever").waitFor();
    await survey.getByLabel("Goal").fill("");
    await survey.getByLabel("States", { exact: true }).fill("3");
    await count.click();
    await survey.getByText("These are not all states.").waitFor();
    // What means nothing is refused by name.
    await survey.getByLabel("Goal").fill("nobody > 3");
    await count.click();
    await tab.getByText(/nobody is not known here/).first().waitFor();
  } finally {
    await other.stop();
  }
});

test("counting is stopped, and what was found stays", async () => {
  const other = await Server.start([join(ROOT, "examples/breakout/breakout.wasm")]);
  try {
    const tab = await futures(other.url);
    await tab.getByText("More states than there is room for").click();
    const survey = tab.getByRole("form", { name: "Survey" });
    await survey.getByRole("button", { name: "Count all states" }).click();
    await survey.getByText("Counting all states …").waitFor();
    await survey.getByRole("button", { name: "Stop counting" }).click();
    await survey.getByText("These are not all states.").waitFor({ timeout: 60_000 });
    await survey.getByText(/^Not explored: it was ended by the user/).waitFor();
  } finally {
    await other.stop();
  }
});

test("futures are suggested while one works, drawn apart, and one click away", async () => {
  const other = await Server.start([join(ROOT, "examples/while/while.wasm")]);
  try {
    const tab = await futures(other.url);
    await tab.getByLabel("inputs", { exact: true }).fill("4");
    await tab.getByRole("button", { name: "Paths", exact: true }).click();
    // One works on meanwhile.
    await move(tab, "e");
    await tab.getByText(/14 paths, 3 traps, at most 3 options at one input/).waitFor();
    const list = tab.getByRole("list", { name: "Suggested futures" });
    await list.getByRole("button", { name: "Jump to chip_analog_read(34) ∈ 1..4094" }).first().waitFor();
    // The canvas has them too, apart from what was visited: nothing of the multiverse has grown.
    await tab.getByRole("tab", { name: "Tree" }).click();
    await tab.waitForFunction(() => window.borgesTree !== undefined && window.borgesTree.suggested().length > 0);
    await tab.evaluate(() => window.borgesTree?.fit());
    const drawn = () => tab.evaluate(() => window.borgesTree?.suggested() ?? []);
    expect((await drawn()).some((edge) => edge.set === "1..4094")).toBe(true);
    const trapped = tab.getByText(/trap: integer divide by zero|integer divide by zero/).first();
    // The picture may still be on its way to its place.
    for (let n = 0; n < 5 && !(await trapped.isVisible()); n++) {
      const bad = (await drawn()).find((edge) => edge.end.startsWith("traps"));
      if (!bad) {
        throw new Error("no trap is drawn");
      }
      await tab.mouse.click(bad.x, bad.y);
      await trapped.waitFor({ timeout: 3000 }).catch(() => undefined);
    }
    await trapped.waitFor();
    await tab.waitForFunction(() => document.querySelector(".universe")?.textContent?.includes(".5"));
    await tab.getByRole("tab", { name: /Futures/ }).click();
    await tab.getByRole("button", { name: "Why", exact: true }).click();
    await tab.getByText(/Inevitable after/).waitFor();
    // And from the panel.
    await tab.getByRole("button", { name: "Bugs", exact: true }).click();
    await tab.getByText(/cannot|ended here/).first().waitFor();
  } finally {
    await other.stop();
  }
});

test("of several memories one is chosen", async () => {
  await panel(page, "Memory");
  // Most programs have one; this one's is empty.
  await page.getByText("address 0 is not in the program's memory of 0 bytes").waitFor();
  expect(await page.getByRole("combobox", { name: "Memory" }).count()).toBe(0);
  const other = await Server.start([join(ROOT, "crates/cli/tests/programs/memories.wasm")]);
  try {
    const tab = await open(context, other.url);
    await ready(tab);
    await panel(tab, "Memory");
    const first = tab.getByRole("table", { name: "Memory" }).getByRole("row").first();
    await first.getByText("00").first().waitFor();
    const chooser = tab.getByRole("combobox", { name: "Memory" });
    expect(await chooser.locator("option").allTextContents()).toEqual(["auto", "0", "1 log", "2 squares"]);
    await chooser.selectOption("2 squares");
    await first.getByText("31", { exact: true }).waitFor();
    // Nothing has changed: these are other bytes.
    expect(await tab.locator(".memory .changed").count()).toBe(0);
    // What is written to another memory is seen there, and what is only there is an address.
    await chooser.selectOption("1 log");
    await first.getByText("31", { exact: true }).waitFor({ state: "detached" });
    await tab.getByLabel("Address").fill("65536");
    await tab.getByText("address 65536 is not in memory 1 of 65536 bytes").waitFor();
    await tab.locator(".universe").click();
    await move(tab, "c");
    await tab.getByRole("rowheader", { name: "010000" }).waitFor();
    await chooser.selectOption("0");
    await tab.getByText("address 65536 is not in the program's memory of 65536 bytes").waitFor();
  } finally {
    await other.stop();
  }
});

test("of a program of WASI it is said which calls may fail and how input comes, for what is proved and what is looked for", async () => {
  // A program on a board has nothing to say it of.
  await page.getByRole("tab", { name: /Futures/ }).click();
  await page.getByLabel("inputs", { exact: true }).waitFor();
  for (const name of ["stdin", "errors", "calls may fail", /^pieces of/]) {
    expect(await page.getByLabel(name, { exact: true }).count()).toBe(0);
  }
  const other = await Server.start([join(ROOT, "examples/records/records.wasm")]);
  try {
    const tab = await futures(other.url);
    const prove = tab.getByRole("button", { name: "Prove", exact: true });
    // Nothing was said: errors are left out, and that is told.
    await tab.getByLabel("pieces of").fill("1");
    await prove.click();
    await tab.getByText("1 state, 5 edges").waitFor();
    await tab.getByText(/errors that calls of the operating system may meet are not looked for/).waitFor();
    await tab.getByLabel("calls may fail").check();
    await prove.click();
    await tab.getByText("7 states, 18 edges: no universe ever traps, over all inputs, for ever").waitFor();
    // Six bytes at once are what it cannot stand.
    await tab.getByLabel("pieces of").fill("");
    await prove.click();
    await tab.getByText("4 states, 647 edges").waitFor();
    await tab.getByText("undefined element at records/records.c:27, in 1 input").waitFor();
    await tab.getByRole("list", { name: "Suggested futures" }).waitFor();
    // Paths say it in their own way: so many bytes, so many errors.
    await tab.getByLabel("stdin", { exact: true }).fill("1");
    await tab.getByLabel("errors", { exact: true }).fill("1");
    await tab.getByRole("button", { name: "Paths", exact: true }).click();
    await tab.getByRole("button", { name: /fd_read\(.*EIO/ }).first().waitFor();
    // The picture of all states takes what is proved takes.
    await tab.getByRole("tab", { name: "States" }).click();
    await tab.getByLabel("pieces of").fill("1");
    await tab.getByLabel("calls may fail").check();
    await tab.getByRole("button", { name: "Draw from here" }).click();
    await tab.getByText("9 states, 18 ways").waitFor();
  } finally {
    await other.stop();
  }
});

test("a program of WASI shows its files, descriptors, streams and exit code, wherever one is", async () => {
  // A program on a board has none.
  expect(await page.getByRole("tab", { name: "Files" }).count()).toBe(0);
  const notes = join(ROOT, "examples/save-notes");
  const given = ["--dir", `${join(notes, "data")}::/data`, "--stdin", join(notes, "notes.in")];
  const other = await Server.start([join(notes, "save-notes.wasm"), ...given]);
  try {
    const tab = await open(context, other.url);
    await ready(tab);
    const files = tab.getByRole("table", { name: "Files and what changed" });
    const content = tab.getByLabel("What is in /data/notes.txt");
    await files.getByRole("button", { name: "/data/notes.txt" }).click();
    await content.getByText("what was there before").waitFor();
    await tab.getByRole("button", { name: "Hex" }).click();
    await content.getByText("000000  ").waitFor();
    await tab.locator(".universe").click();
    await move(tab, "c");
    await tab.getByText("Ended with exit code 4").waitFor();
    await tab.getByLabel("Standard output up to here").getByText("3 lines saved").waitFor();
    await content.getByText("milk").waitFor();
    await files.getByText(/^changed from byte 0 on/).waitFor();
    await tab.getByRole("table", { name: "Open descriptors" }).getByRole("row", { name: /0 stdin read/ }).waitFor();
    // Against another universe: there was a file that is gone by now.
    await tab.getByLabel("Changes since").fill("0.12");
    await files.getByRole("row", { name: /new.txt removed/ }).waitFor();
    await tab.getByRole("button", { name: "The start", exact: true }).click();
    await files.getByText("new.txt").waitFor({ state: "detached" });
    // One write fails, and the file is lost.
    await tab.getByLabel("Call to mock").fill('fd_write("/data/new.txt")');
    await tab.getByLabel("What it comes to").fill("ENOSPC then live");
    await tab.getByRole("button", { name: "Mock", exact: true }).click();
    await tab.getByRole("list", { name: "Mocks" }).getByText('fd_write("/data/new.txt") = ENOSPC, then live').waitFor();
    await tab.locator(".universe").click();
    await move(tab, "C");
    // On what is recorded first, and on from where that ends.
    await move(tab, "c");
    await tab.getByText("The file is empty.").waitFor();
  } finally {
    await other.stop();
  }
});

test("all states are drawn, coloured and gone to", async () => {
  await page.getByRole("tab", { name: "States" }).click();
  await page.getByLabel("Colour states by").fill("current");
  await page.getByRole("button", { name: "Draw from here" }).click();
  await page.getByText("4 states, 7 ways").waitFor();
  await page.getByRole("list", { name: "Colours" }).getByText("1 or 2").first().waitFor();
  await page.locator(".states canvas").focus();
  // To the first, and along a way to the next.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: /Go to state \d/ }).waitFor();
  expect(await universe(page)).toBe("0.0");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !/^0\.0$/.test(document.querySelector(".universe")?.textContent ?? "0.0"));
  await page.getByText("4 states, 7 ways").waitFor();
});
