// Every example is debugged by a client of VS Code's makers, over standard input and output and over TCP.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect, EXAMPLES, launch, listen, start } from "./client.mjs";

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
  let at = await editor.look(stopped.threadId);
  for (const command of ["stepIn", "next", "stepBack", "next"]) {
    const next = await editor.go(command, { threadId: at.threads.at(-1).id }).catch((error) => error);
    // Nobody can act where a program of a model language has ended.
    if (next instanceof Error) assert.match(next.message, /nobody acts/);
    else at = await editor.look(next.threadId);
  }
  const back = await editor.go("reverseContinue");
  await editor.look(back.threadId);
  await editor.leave();
}

test("over standard input and output", async (t) => {
  for (const program of programs) {
    await t.test(program, async () => walk(await start(), program));
  }
});

test("over TCP", async (t) => {
  const { port, token } = await listen(t);
  for (const program of programs) {
    await t.test(program, async () => walk(await connect(port), program, { token }));
  }
});
