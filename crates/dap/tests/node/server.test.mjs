// Who may talk to a server that listens, and what an editor joins that attaches.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { BORGES, connect, environment, EXAMPLES, launch, listen, start } from "./client.mjs";

const DIAL = join(EXAMPLES, "color-dial/color-dial.wasm");

/** What a server answers to bytes, until it hangs up. */
function answered(port, bytes) {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = createConnection(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (data) => (text += data));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}

test("who does not know the token opens nothing", async (t) => {
  const { port, token } = await listen(t);
  for (const wrong of [undefined, "", `${token}0`, token.replace(/.$/, "g")]) {
    const editor = await connect(port);
    await editor.initializeRequest();
    await assert.rejects(editor.launchRequest({ program: DIAL, token: wrong }), /token/);
    await assert.rejects(editor.customRequest("attach", { url: "http://127.0.0.1:1/x/", token: wrong }), /token/);
    await assert.rejects(editor.customRequest("threads"), /no program is open/);
    await editor.leave();
  }
  const early = await connect(port);
  await assert.rejects(early.customRequest("initialize", { adapterID: "borges", token: "wrong" }), /token/);
  await early.customRequest("initialize", { adapterID: "borges", token });
  await early.launchRequest({ program: DIAL, stopOnEntry: true });
  await early.leave();
});

test("what is no editor is told so, and hung up on", async (t) => {
  const { port } = await listen(t);
  const said = await answered(port, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}");
  assert.match(said, /no header of a message/);
});

test("only this computer can connect", async () => {
  const server = spawn(BORGES, ["dap", "--listen", "0.0.0.0:0"], { env: environment });
  const code = await new Promise((resolve) => server.on("exit", resolve));
  assert.equal(code, 2);
});

test("an editor joins the session of another's page", async () => {
  const one = await start();
  await launch(one, DIAL);
  const { url } = (await one.customRequest("borges/page")).body;
  const other = await start();
  await other.initializeRequest();
  const initialized = other.event("initialized");
  await other.customRequest("attach", { url });
  await initialized;
  const shown = other.event("stopped");
  await other.configurationDoneRequest();
  await shown;
  const source = { path: join(EXAMPLES, "color-dial/color-dial.ts") };
  const told = other.event("breakpoint");
  const set = await one.setBreakpointsRequest({ source, breakpoints: [{ line: 19 }] });
  assert.equal((await told).breakpoint.id, set.body.breakpoints[0].id);
  const seen = other.event("stopped");
  assert.equal((await one.go("continue")).reason, "breakpoint");
  assert.equal((await seen).reason, "breakpoint");
  const { stackFrames } = await other.look(1);
  assert.equal(stackFrames[0].line, 19);
  const back = one.event("stopped");
  assert.equal((await other.go("stepBack")).reason, "step");
  await back;
  // Who joined leaves alone; where the session's owner leaves, it is over for all.
  const third = await start("--attach", url);
  await third.initializeRequest();
  await third.customRequest("attach", {});
  await third.leave();
  await one.look(1);
  const over = other.event("terminated");
  await one.leave();
  await over;
});

test("a program of WASI finds what the editor gives it", async () => {
  const editor = await start();
  const folder = join(EXAMPLES, "save-notes");
  const stopped = await launch(editor, "save-notes.wasm", {
    cwd: folder,
    dirs: ["data::/data"],
    stdin: "notes.in",
  });
  assert.equal(stopped.reason, "entry");
  const end = await editor.go("continue");
  assert.match(end.reason, /end|exception/);
  const { scopes } = await editor.look(1);
  assert.ok(scopes.some((scope) => scope.name === "Output"));
  await editor.leave();
});

test("what cannot be launched is said", async () => {
  const editor = await start();
  await editor.initializeRequest();
  const refused = [
    [{ program: "/nowhere.wasm" }, /no file/],
    [{ program: DIAL, board: "/nowhere.toml" }, /nowhere/],
    [{ program: DIAL, device: "pigeon:7" }, /pigeon/],
    [{ program: DIAL, seed: -1 }, /wrong/],
    [{ program: join(EXAMPLES, "README.md") }, /./],
  ];
  for (const [more, words] of refused) await assert.rejects(editor.launchRequest(more), words);
  await editor.launchRequest({ program: DIAL, stopOnEntry: true });
  await editor.leave();
});
