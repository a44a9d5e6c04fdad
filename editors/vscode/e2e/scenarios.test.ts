// What users do, in the real editor. Scenarios follow each other in one window; each leaves a picture.
import { afterAll, beforeAll, onTestFailed, test as vitest } from "vitest";
import { Server } from "./server";
import { Workbench } from "./workbench";

let server: Server;
let editor: Workbench;

beforeAll(async () => {
  server = await Server.start();
  editor = await Workbench.open(server.url);
});

afterAll(async () => {
  await editor?.close();
  await server?.stop();
});

let number = 0;

function scenario(name: string, play: () => Promise<void>): void {
  vitest(name, async () => {
    const picture = `${String(++number).padStart(2, "0")}-${name.replaceAll(/\W+/g, "-")}`;
    onTestFailed(() => editor.picture(`${picture}-failed`));
    await play();
    await editor.picture(picture);
  });
}

scenario("F5 on a source comes to a breakpoint", async () => {
  await editor.breakpoint("color-dial/color-dial.ts", 27);
  await editor.f5();
  await editor.stands(27, /universe 0\.2\+1 · step 10/);
  await editor.row("Multiverse", "here").waitFor();
  // Room for the others.
  await editor.fold("Watch");
});

scenario("steps back over a line, with a key and a button", async () => {
  await editor.press("F5");
  await editor.stands(27, /universe 0\.4\+1/);
  await editor.press("F5");
  await editor.stands(27, /universe 0\.7\+1/);
  await editor.press("Alt+F10");
  await editor.stands(26, /universe 0\.6\+3/);
  await editor.toolbar("Step Back (").click();
  await editor.stands(25, /universe 0\.6/);
});

scenario("reverse continue goes back to breakpoints", async () => {
  await editor.press("Alt+F5");
  await editor.stands(27, /universe 0\.4\+1/);
  await editor.toolbar("Reverse").click();
  await editor.stands(27, /universe 0\.2\+1/);
});

scenario("steps back into a call, out of it, and back to the cursor", async () => {
  await editor.press("F5");
  await editor.stands(27, /universe 0\.4\+1/);
  await editor.press("F10");
  await editor.stands(28, /universe 0\.4/);
  await editor.press("F10");
  await editor.stands(30, /universe 0\.5/);
  await editor.press("Alt+F11");
  await editor.stands(20, /universe 0\.5/);
  await editor.press("Shift+Alt+F11");
  await editor.stands(28, /universe 0\.4/);
  await editor.file("color-dial/color-dial.ts", 26);
  await editor.press("Shift+Alt+F10");
  await editor.stands(26, /universe 0\.3/);
});

scenario("an input is mocked by editing it", async () => {
  await editor.expand("Variables", "Inputs");
  await editor.setValue("read_uart_sensor(0)", "5 then live");
  await editor.press("F5");
  await editor.stands(27, /universe 1\.4\+1/);
  await editor.row("Multiverse", "read_uart_sensor(0) = 5").waitFor();
});

scenario("a click in the tree jumps to another universe", async () => {
  await editor.row("Multiverse", "read_uart_sensor(0) = 0").click();
  await editor.stands(26, /universe 0\.2 /);
});
