// Every example is debugged by a client of VS Code's makers, over standard input and output and over TCP.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect, EXAMPLES, launch, listen, start } from "./client.mjs";

// What a host calls in a program that has no `main`.
const ARGUMENTS = {
  "calculator/calculator.wasm": { entry: ["at = input()", '*at = "7 3 +"', "evaluate(5)"] },
};

const KINDS = [".wasm", ".at", ".oz", ".amb"];

const programs = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
  .flatMap((folder) => readdirSync(join(EXAMPLES, folder.name)).map((file) => join(folder.name, file)))
  .filter((file) => KINDS.some((kind) => file.endsWith(kind)))
  .sort();

/** Forwards and back, with what an editor asks at each stop. */
async function walk(editor, program, more) {
  const stopped = await launch(editor, join(EXAMPLES, program), more);
  assert.equal(stopped.reason, "entry");
  await editor.look(stopped.threadId);
  let { threadId } = stopped;
  for (const command of ["stepIn", "stepIn", "stepBack", "stepIn"]) {
    const next = await editor.go(command, { threadId }).catch((error) => error);
    // Nobody can act where a program of a model language has ended.
    if (next instanceof Error) {
      assert.match(next.message, /nobody acts|can take no step/);
      continue;
    }
    ({ threadId } = next);
    await editor.look(threadId);
  }
  const back = await editor.go("reverseContinue");
  await editor.look(back.threadId);
  await editor.leave();
}

test("over standard input and output", async (t) => {
  for (const program of programs) {
    await t.test(program, async () => walk(await start(), program, ARGUMENTS[program]));
  }
});

test("over TCP", async (t) => {
  const { port, token } = await listen(t);
  for (const program of programs) {
    await t.test(program, async () => walk(await connect(port), program, { token, ...ARGUMENTS[program] }));
  }
});
