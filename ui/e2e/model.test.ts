// Real work on the math actor, in a real browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { launch, open, ROOT, Server } from "./support";

let browser: Browser;
let server: Server;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});
afterEach(async () => {
  await context.close();
  await server.stop();
});

async function show(program: string): Promise<Page> {
  server = await Server.start([join(ROOT, "examples", program)]);
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, server.url);
  await page.getByText("1 universe, 0 edges").waitFor();
  // Tours are played elsewhere.
  await page.getByRole("button", { name: "Close the tour" }).click();
  return page;
}

/** What is said of the universe that is looked at. */
const universe = (page: Page) => page.getByRole("region", { name: "Universe" });
const diagram = (page: Page) => page.getByRole("group", { name: "Sequence diagram" });

test("a breakpoint halts every universe, and an actor steps on from one", async () => {
  const page = await show("math-actor/math.at");
  await page.getByLabel("Breakpoint", { exact: true }).fill("receiver getResult");
  await page.getByRole("button", { name: "Break", exact: true }).click();
  await page.getByText("receiver getResult", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText(/^paused in \d+ universes$/).waitFor();
  await universe(page).getByText("paused", { exact: true }).first().waitFor();
  await universe(page).getByText("breakpoint 1 (receiver getResult) at math").waitFor();

  await universe(page).getByRole("button", { name: "next-turn of math" }).click();
  await page.getByText("step next-turn of math").first().waitFor();
  // The command is drawn dashed, and stands in the sequence diagram between the actors' messages.
  await diagram(page).locator("g.command").first().waitFor({ state: "attached" });
  const agents = await page.getByRole("region", { name: "Agents" }).locator(".who b").allTextContents();
  expect(agents).toContain("math");

  // What a step changed: in the table of the state, and by itself.
  await diagram(page).getByRole("button", { name: /math: takes double/ }).last().dispatchEvent("click");
  const difference = page.getByRole("table", { name: "Difference" });
  await difference.getByText("math inbox").waitFor();
  await difference.getByText("math result").waitFor();
  const changed = page.getByRole("table", { name: "State" }).locator("tr.changed");
  expect(await changed.allTextContents()).toContainEqual(expect.stringMatching(/result.*66|result.*24/));
});

test("the graph is saved as a picture", async () => {
  const page = await show("math-actor/math.at");
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText(/^ended in \d+ universes$/).waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG" }).click()]);
  const svg = readFileSync(await file.path(), "utf8");
  expect(svg.match(/<path /g)?.length ?? 0).toBeGreaterThan(50);
});

test("a click beside a line sets the breakpoint that the line is about", async () => {
  const page = await show("math-actor/math.at");
  await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^6$/ }).click();
  await page.getByText("receiver getResult", { exact: true }).waitFor();
  await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^21$/ }).click();
  await page.getByText("sender double", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText(/^paused in \d+ universes$/).waitFor();
  await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^6$/ }).click();
  await page.getByText("receiver getResult", { exact: true }).waitFor({ state: "detached" });
});

test("the way is walked by keys, and the lanes follow", async () => {
  const page = await show("math-actor/math.at");
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText("ended in 3 universes").waitFor();
  await diagram(page).getByText("step 23").waitFor();
  await page.locator("h2", { hasText: "Multiverse" }).click();
  await page.keyboard.press("ArrowLeft");
  await diagram(page).getByText("step 22").waitFor();
  await page.keyboard.press("Home");
  await diagram(page).getByText("step 0").waitFor();
  await universe(page).getByText("Universe 0", { exact: true }).waitFor();
  await page.keyboard.press("ArrowRight");
  await diagram(page).getByText("step 1", { exact: true }).waitFor();
});

test("what is right is said once: states are painted, and the step that decides is named", async () => {
  const page = await show("math-actor/math.at");
  await page.getByRole("tab", { name: "States" }).click();
  await page.getByText("complete: 537 states, 3 outcomes").waitFor();
  await page.getByLabel("right is").fill("client1 prints 24");
  await page.keyboard.press("Enter");
  await page.getByText("always 377").waitFor();
  await page.getByText("open 80").waitFor();
  await page.getByRole("button", { name: "never 80" }).click();
  await page.getByText("This step decides").waitFor();
  await page.getByText("every way on ends wrong").waitFor();
  await page.getByRole("button", { name: "Go there" }).click();
  await page.getByRole("tab", { name: "Ends" }).click();
  const wrong = page.getByRole("article", { name: "Outcome 2" });
  await wrong.getByText("◆").waitFor();
  await page.getByRole("article", { name: "Outcome 0" }).getByText("✓").waitFor();
  // Nobody is told what is right before somebody said so.
  await page.getByLabel("right is").fill("");
  await page.keyboard.press("Enter");
  await page.getByText("always 377").waitFor({ state: "detached" });
  expect(await page.getByText("✓").count()).toBe(0);
});

test("the graph is clicked, dragged and zoomed", async () => {
  const page = await show("math-actor/math.at");
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText("ended in 3 universes").waitFor();
  const box = await page.locator("canvas").boundingBox();
  if (!box) {
    throw new Error("there is no canvas");
  }
  const first = universe(page).getByText("Universe 0", { exact: true });
  const other = universe(page).getByText("Universe 1", { exact: true });
  // The first universe stands at the left edge, in the middle.
  const [x, y] = [box.x + 30, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await first.waitFor();
  await page.keyboard.press("ArrowRight");
  await other.waitFor();
  await page.mouse.move(x + 200, y + 100);
  await page.mouse.down();
  await page.mouse.move(x + 260, y + 160, { steps: 3 });
  await page.mouse.up();
  await other.waitFor();
  await page.mouse.click(x + 60, y + 60);
  await first.waitFor();
  await page.keyboard.press("ArrowRight");
  await other.waitFor();
  // It is under the pointer, and stays there.
  await page.mouse.move(x + 60, y + 60);
  await page.mouse.wheel(0, -300);
  await page.mouse.click(x + 60, y + 60);
  await first.waitFor();
});

test("a program is edited in the page and runs again; a wrong one says where", async () => {
  const page = await show("math-actor/math.at");
  const program = page.getByLabel("Program", { exact: true });
  const write = async (text: string): Promise<void> => {
    await program.focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };
  const text = readFileSync(join(ROOT, "examples/math-actor/math.at"), "utf8");
  await write(`${text}\n(`);
  await page.getByRole("button", { name: "Run the edited program" }).click();
  await page.getByRole("status").getByText(/\d+ \|/).waitFor();
  await program.locator(".wrong, .wrong-line").first().waitFor();
  await page.getByRole("button", { name: "Undo all" }).click();
  await page.getByRole("button", { name: "Run all universes" }).waitFor();
  expect(await program.textContent()).not.toContain(";(");
  await write(text.replace("double(33)", "double(1)"));
  await page.getByRole("button", { name: "Run the edited program" }).click();
  await page.getByText("ended in 3 universes").waitFor();
  await page.getByRole("button", { name: "Run all universes" }).waitFor();
  await page.getByRole("tab", { name: "Ask" }).click();
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  const answer = page.getByRole("region", { name: "Questions" }).getByRole("table");
  await answer.getByText("math.result = 2").first().waitFor();
});

test("threads and choices have the same page", async () => {
  const page = await show("deadlock/deadlock.oz");
  await universe(page).getByRole("button", { name: "step of t0" }).click();
  await page.getByText("paused in 1 universe", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText("ended in 2 universes").waitFor();
  // Who is left waiting stands in the table and in the picture.
  await page.getByRole("table", { name: "State" }).getByText(/waits on k/).waitFor();
  await page.getByRole("img", { name: /t2 waits for k/ }).waitFor();
  await page.getByRole("tab", { name: "Ask" }).click();
  await page.getByLabel("Kind of question").selectOption("may");
  await page.getByLabel("Question", { exact: true }).fill("x = true");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("in every run: no").waitFor();
  await page.getByLabel("Kind of question").selectOption("keep");
  await page.getByLabel("Question", { exact: true }).fill("x = true, nosuch");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("no state that was explored has anything called 'nosuch'").first().waitFor();
  await page.getByLabel("Question", { exact: true }).fill("x = true");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("An abstraction: only x = true and what can happen next tell states apart").waitFor();
  await page.getByRole("region", { name: "Questions" }).getByText(/^deadlock: /).waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByLabel("Kind of question").selectOption("races");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByRole("region", { name: "Questions" }).getByText(/step \d+: t[23]: [xy] = \{receive k\}/).first().waitFor();
});

test("a search goes to one halt after the other", async () => {
  const page = await show("math-actor/math.at");
  await page.getByLabel("Breakpoint", { exact: true }).fill("when math.result == 66");
  await page.getByRole("button", { name: "Break", exact: true }).click();
  await page.getByRole("button", { name: "Seek" }).click();
  await universe(page).getByText("breakpoint 1 (when math.result == 66) at math").waitFor();
  const text = await page.locator(".size").textContent();
  expect(Number(text?.split(" ")[0])).toBeLessThan(80);
});

test("questions about all states lead into the graph of all states", async () => {
  const page = await show("math-actor/math.at");
  await page.getByRole("tab", { name: "Ask" }).click();
  const questions = page.getByRole("region", { name: "Questions" });
  const put = async (kind: string, argument?: string): Promise<void> => {
    await page.getByLabel("Kind of question").selectOption(kind);
    if (argument !== undefined) {
      await page.getByLabel("Question", { exact: true }).fill(argument);
    }
    await questions.getByRole("button", { name: "Ask", exact: true }).click();
  };
  await put("ends");
  await questions.getByText("2: finished, 1 state:").waitFor();
  await put("divergence", "0 2");
  await questions.getByText("then only the second").waitFor();
  await put("can_reach", "2");
  await questions.getByText(/^\d+ states$/).waitFor();
  await put("cycles");
  await questions.getByText("no run goes round for ever").waitFor();
  await put("common_ancestors", "3");
  await page.getByRole("status").getByText("say state state …, in numbers").waitFor();
  await put("through", "99999");
  await page.getByRole("status").getByText("there is no state 99999").waitFor();
  await put("shortest_to_ends");
  await questions.getByText(/ steps to state \d+, outcome 2$/).waitFor();
  await questions.getByRole("button", { name: /^State / }).last().click();
  await page.getByText("537 states, 1,128 edges").waitFor();
  await page.getByRole("tab", { name: "State", exact: true }).click();
  await universe(page).getByText("Nothing follows: outcome 2.").waitFor();
  await diagram(page).getByRole("button", { name: /math: result := 66/ }).first().waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Step back" }).click();
  await universe(page).getByText("What can come next").waitFor();
  await page.getByRole("tab", { name: "Visited" }).click();
  await page.getByText(/^\d+ universes?, [\d,]+ edges?$/).waitFor();
});

test("all states are counted without being kept: stopped, gone on with, and to the end", async () => {
  // 2²⁶ ways to 27 sums: nobody waits for them.
  const folder = mkdtempSync(join(tmpdir(), "borges-survey-"));
  writeFileSync(join(folder, "sums.amb"), `(+ ${"(amb 0 1) ".repeat(26)})`);
  server = await Server.start([join(folder, "sums.amb")]);
  rmSync(folder, { recursive: true });
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await open(context, server.url);
  await page.getByRole("tab", { name: "Ends" }).click();
  const survey = page.getByRole("form", { name: "Survey" });
  const figure = async (name: string): Promise<number> => {
    const text = await survey.locator("div", { has: page.getByText(name, { exact: true }) }).locator("dd").textContent();
    return Number(text?.replaceAll(/[^\d.]/g, ""));
  };
  await survey.getByRole("button", { name: "Count all states" }).click();
  await survey.getByText("Counting all states …").waitFor();
  await expect.poll(async () => (await figure("a second")) > 0 && (await figure("steps deep")) > 3, { timeout: 60_000 }).toBe(true);
  await survey.getByRole("button", { name: "Stop counting" }).click();
  await survey.getByText("It was stopped, and goes on from here.").waitFor();
  const found = async (): Promise<number> => Number((await survey.locator("b").textContent())?.split(" ")[0]?.replaceAll(",", ""));
  const first = await found();
  expect(first).toBeGreaterThan(1000);

  // With as many more it comes to a bound.
  await survey.getByLabel("States", { exact: true }).fill(String(first + 1000));
  await survey.getByRole("button", { name: "Go on counting" }).click();
  await survey.getByText("There are more: raise the number of states, and it goes on from here.").waitFor();
  expect(await found()).toBeGreaterThan(first);

  const program = page.getByLabel("Program", { exact: true });
  await program.focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("(+ (amb 1 2) (amb 3 4))");
  // What is pressed this soon after the end of something meant Pause.
  await page.waitForTimeout(300);
  await page.getByRole("button", { name: "Run the edited program" }).click();
  await survey.getByLabel("States", { exact: true }).fill("");
  await survey.getByRole("button", { name: "Count all states" }).click();
  await survey.getByText(/^Complete: \d+ states, 3 outcomes$/).waitFor();
  await survey.getByText(/^finished: /).first().click();
  await survey.getByText(/amb 1 2/).first().waitFor();
});

test("a survey is held to a goal, on as many cores as are asked for", async () => {
  const page = await show("deadlock/deadlock.oz");
  await page.getByRole("tab", { name: "Ends" }).click();
  const survey = page.getByRole("form", { name: "Survey" });
  await survey.getByLabel("Cores").fill("1");
  await survey.getByLabel("Goal").fill("deadlock");
  await survey.getByRole("button", { name: "Count all states" }).click();
  const broken = survey.getByText(/^forbid deadlock: broken: deadlock: /);
  await broken.waitFor();
  // The way there is open to read.
  await survey.getByText(/t3: y = \{receive k\}, which is t/).first().waitFor();
  expect(await survey.locator("div", { has: page.getByText("cores", { exact: true }) }).locator("dd").textContent()).toBe("1");
  await survey.getByLabel("Goal").fill("failed");
  await survey.getByRole("button", { name: "Count all states" }).click();
  await survey.getByText("forbid failed: holds", { exact: true }).waitFor();
  // What means nothing is refused by name.
  await survey.getByLabel("What must be").selectOption("every end is one with");
  await survey.getByLabel("Goal").fill("z ==");
  await survey.getByRole("button", { name: "Count all states" }).click();
  await page.getByText(/'expect z ==': /).first().waitFor();
});

test("threads go forward and back in the page", async () => {
  const page = await show("deadlock/deadlock.oz");
  await page.getByRole("tab", { name: "CaReDeb" }).click();
  const prompt = page.getByLabel("Command of CaReDeb");
  const answers = page.getByLabel("Answers");
  const say = async (command: string, expected: string): Promise<void> => {
    await prompt.fill(command);
    await prompt.press("Enter");
    await answers.getByText(expected).last().waitFor();
  };
  await say("f t0 5", "t0: thread t3");
  await page.getByRole("button", { name: "a step of t1" }).click();
  await say("f t3", "t3: let y = {receive k} → t = true");
  await page.getByRole("button", { name: "undo the last step of t1" }).click();
  await answers.getByText("t1 cannot go back over").waitFor();
  await say("rollreceive k", "undid t3: let y = {receive k}");
  await page.getByRole("button", { name: "run", exact: true }).click();
  await answers.getByText("t2: let x = {receive k} → t = true").waitFor();
  const threads = page.getByRole("table", { name: "Threads" });
  await threads.getByRole("row", { name: /^t2 .* done/ }).waitFor();
  await say("rt t2", "undid t0: thread t2");
  await page.getByRole("button", { name: "waits" }).click();
  await answers.getByText("> waits").waitFor();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing, ${colorScheme}`, async () => {
    const page = await show("deadlock/deadlock.oz");
    await page.emulateMedia({ colorScheme });
    await page.getByRole("button", { name: "Run all universes" }).click();
    await page.getByText("ended in 2 universes").waitFor();
    await page.evaluate(readFileSync(join(ROOT, "ui/node_modules/axe-core/axe.min.js"), "utf8"));
    const check = async (what: string): Promise<void> => {
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
        return (await axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join("\n   ")}`);
      });
      expect(violations, what).toEqual([]);
    };
    await check("universes");
    await page.getByRole("tab", { name: "CaReDeb" }).click();
    await page.getByRole("table", { name: "Threads" }).waitFor();
    await check("CaReDeb");
    await page.getByRole("tab", { name: "States" }).click();
    await page.getByText("17 states, 20 edges").waitFor();
    await check("all states");
    await page.getByRole("tab", { name: "Ends" }).click();
    await page.getByRole("button", { name: "Count all states" }).click();
    await page.getByText(/^Complete: 17 states, \d outcomes?$/).waitFor();
    await check("a survey");
  });
}

test("two boards stand side by side, their messages are in the sequence diagram", async () => {
  const page = await show("two-boards/network.toml");
  await page.getByLabel("Breakpoint", { exact: true }).fill("motor.turns > remote.asked");
  await page.getByRole("button", { name: "Break", exact: true }).click();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await universe(page).getByText("breakpoint 1 (motor.turns > remote.asked)").waitFor();
  const state = page.getByRole("table", { name: "State" });
  await state.getByRole("row", { name: /remote\.asked 1$/ }).waitFor();
  await state.getByRole("row", { name: /motor\.turns .*2$/ }).waitFor();
  await diagram(page).getByRole("button", { name: /answers loses 65/ }).waitFor({ state: "attached" });
  const agents = await page.getByRole("region", { name: "Agents" }).locator(".who b").allTextContents();
  for (const agent of ["remote", "motor", "commands", "answers"]) {
    expect(agents).toContain(agent);
  }
});
