// Real work on the math actor, in a real browser.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ROW } from "../src/model/layout";
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
  await page.getByText("1 universes, 0 edges").waitFor();
  return page;
}

/** Opens the menu of the universe that is looked at. */
async function menu(page: Page): Promise<void> {
  await page.locator("canvas").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem").first().waitFor();
}

test("a breakpoint halts every universe, and the menu steps on from one", async () => {
  const page = await show("math-actor/math.at");
  await page.getByLabel("Breakpoint", { exact: true }).fill("receiver getResult");
  await page.getByRole("button", { name: "Break", exact: true }).click();
  await page.getByText("receiver getResult").waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText(/^paused in \d+ universes$/).waitFor();
  const node = page.getByRole("region", { name: "Universe" });
  await node.getByText("paused", { exact: true }).first().waitFor();
  await node.getByText("breakpoint 1 (receiver getResult) at math").waitFor();

  await menu(page);
  await page.getByRole("menuitem", { name: "math ›" }).click();
  await page.getByRole("menuitem", { name: "next-turn" }).click();
  await page.getByText("step next-turn of math").first().waitFor();
  // The command is drawn dashed, and stands in the sequence diagram between the actors' messages.
  const sequence = page.getByRole("region", { name: "Sequence diagram" });
  await sequence.locator("g.command").first().waitFor();
  const agents = await sequence.locator("text.agent").allTextContents();
  expect(agents).toContain("math");

  // What a step changed.
  await sequence.locator("g:not(.command)", { hasText: "takes double" }).last().click();
  const difference = page.getByRole("table", { name: "Difference" });
  await difference.getByText("math inbox").waitFor();
  await difference.getByText("math result").waitFor();
});

test("the graph is clicked, dragged and zoomed", async () => {
  const page = await show("math-actor/math.at");
  const box = await page.locator("canvas").boundingBox();
  if (!box) {
    throw new Error("there is no canvas");
  }
  // The only universe there is, half a row below the margin.
  const [x, y] = [box.x + box.width / 2, box.y + 20 + ROW / 2];
  const items = page.getByRole("menuitem");
  await page.mouse.click(x, y);
  await items.first().waitFor();
  await page.mouse.move(x + 200, y + 200);
  await page.mouse.down();
  await page.mouse.move(x + 260, y + 290, { steps: 3 });
  await page.mouse.up();
  await page.mouse.click(x, y);
  await items.first().waitFor({ state: "detached" });
  // It is under the pointer, and stays there.
  await page.mouse.move(x + 60, y + 90);
  await page.mouse.wheel(0, 400);
  await page.mouse.click(x + 60, y + 90);
  await items.first().waitFor();
});

test("a program is edited in the page and runs again; a wrong one says where", async () => {
  const page = await show("math-actor/math.at");
  const program = page.getByLabel("Program");
  const text = await program.inputValue();
  await program.fill(`${text}\n(`);
  await page.getByRole("button", { name: "Run the edited program" }).click();
  await page.getByRole("status").getByText(/\d+ \|/).waitFor();
  expect(await program.inputValue()).toBe(`${text}\n(`);
  await program.fill(text.replace("double(33)", "double(1)"));
  await page.getByRole("button", { name: "Run the edited program" }).click();
  await page.getByText("ended in 3 universes").waitFor();
  await page.getByRole("button", { name: "Run all universes" }).waitFor();
  await page.getByRole("button", { name: "Ask" }).click();
  const answer = page.getByRole("region", { name: "Questions" }).getByRole("table");
  await answer.getByText("math.result = 2").first().waitFor();
});

test("threads and choices have the same page", async () => {
  const page = await show("deadlock/deadlock.oz");
  await menu(page);
  await page.getByRole("menuitem", { name: "t0 ›" }).click();
  await page.getByRole("menuitem", { name: "step" }).click();
  await page.getByText("paused in 1 universe", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByText("ended in 2 universes").waitFor();
  await page.getByLabel("Kind of question").selectOption("may");
  await page.getByLabel("Question", { exact: true }).fill("x = true");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("in every run: no").waitFor();
  await page.getByLabel("Kind of question").selectOption("keep");
  await page.getByLabel("Question", { exact: true }).fill("x = true, nosuch");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("no state that was explored has anything called 'nosuch'").waitFor();
  await page.getByLabel("Question", { exact: true }).fill("x = true");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByText("An abstraction: only x = true and what can happen next tell states apart").waitFor();
  await page.getByRole("region", { name: "Questions" }).getByText(/^deadlock: /).waitFor();
  await page.getByRole("button", { name: "Run all universes" }).click();
  await page.getByLabel("Kind of question").selectOption("races");
  await page.getByRole("button", { name: "Ask" }).click();
  await page.getByRole("region", { name: "Questions" }).getByText(/step \d+: t[23]: [xy] = \{receive k\}/).first().waitFor();
});

test("a search goes to one halt after the other", async () => {
  const page = await show("math-actor/math.at");
  await page.getByLabel("Breakpoint", { exact: true }).fill("when math.result == 66");
  await page.getByRole("button", { name: "Break", exact: true }).click();
  await page.getByRole("button", { name: "Seek" }).click();
  const node = page.getByRole("region", { name: "Universe" });
  await node.getByText("breakpoint 1 (when math.result == 66) at math").waitFor();
  const text = await page.locator(".size").textContent();
  expect(Number(text?.split(" ")[0])).toBeLessThan(80);
});

test("questions about all states lead into the graph of all states", async () => {
  const page = await show("math-actor/math.at");
  const questions = page.getByRole("region", { name: "Questions" });
  const put = async (kind: string, argument?: string): Promise<void> => {
    await page.getByLabel("Kind of question").selectOption(kind);
    if (argument !== undefined) {
      await page.getByLabel("Question", { exact: true }).fill(argument);
    }
    await questions.getByRole("button", { name: "Ask" }).click();
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
  const node = page.getByRole("region", { name: "Universe" });
  await node.getByText("Nothing follows: outcome 2.").waitFor();
  const sequence = page.getByRole("region", { name: "Sequence diagram" });
  await sequence.getByText("math: result := 66").first().waitFor();
  await sequence.locator("g").last().click();
  await node.getByText("Edges from here").waitFor();
  await page.getByRole("tab", { name: "Universes seen" }).click();
  await page.getByText("1 universes, 0 edges").waitFor();
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
    await page.getByRole("tab", { name: "All states" }).click();
    await page.getByText("17 states, 20 edges").waitFor();
    await check("all states");
  });
}

test("two boards stand side by side, their messages are in the sequence diagram", async () => {
  const page = await show("two-boards/network.toml");
  await page.getByLabel("Breakpoint", { exact: true }).fill("motor.turns > remote.asked");
  await page.getByRole("button", { name: "Break", exact: true }).click();
  await page.getByRole("button", { name: "Run all universes" }).click();
  const node = page.getByRole("region", { name: "Universe" });
  await node.getByText("breakpoint 1 (motor.turns > remote.asked)").waitFor();
  await node.getByText(/remote before .* asked = 1.*motor before .* turns = 2/s).waitFor();
  const sequence = page.getByRole("region", { name: "Sequence diagram" });
  await sequence.getByText("answers loses 65").waitFor();
  const agents = await sequence.locator("text.agent").allTextContents();
  for (const agent of ["remote", "motor", "commands", "answers"]) {
    expect(agents).toContain(agent);
  }
});
