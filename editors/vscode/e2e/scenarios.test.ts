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
/** What puts the window in order after the picture. */
let leave: (() => Promise<void>) | undefined;

function scenario(name: string, play: () => Promise<void>): void {
  vitest(name, async () => {
    const picture = `${String(++number).padStart(2, "0")}-${name.replaceAll(/\W+/g, "-")}`;
    onTestFailed(() => editor.picture(`${picture}-failed`));
    await play();
    await editor.picture(picture);
    await leave?.();
    leave = undefined;
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
  await editor.move("F5", 27, /universe 0\.4\+1/);
  await editor.move("F5", 27, /universe 0\.7\+1/);
  await editor.move("Alt+F10", 26, /universe 0\.6\+3/);
  await editor.move(editor.toolbar("Step Back ("), 25, /universe 0\.6/);
});

scenario("reverse continue goes back to breakpoints", async () => {
  await editor.move("Alt+F5", 27, /universe 0\.4\+1/);
  await editor.move(editor.toolbar("Reverse"), 27, /universe 0\.2\+1/);
});

scenario("steps back into a call, out of it, and back to the cursor", async () => {
  await editor.move("F5", 27, /universe 0\.4\+1/);
  await editor.move("F10", 28, /universe 0\.4/);
  await editor.move("F10", 30, /universe 0\.5/);
  await editor.move("Alt+F11", 20, /universe 0\.5/);
  await editor.move("Shift+Alt+F11", 28, /universe 0\.4/);
  await editor.file("color-dial/color-dial.ts", 26);
  await editor.move("Shift+Alt+F10", 26, /universe 0\.3/);
});

scenario("an input is mocked by editing it", async () => {
  await editor.expand("Variables", "Inputs");
  await editor.setValue("read_uart_sensor(0)", "5 then live");
  await editor.move("F5", 27, /universe 1\.4\+1/);
  await editor.row("Multiverse", "read_uart_sensor(0) = 5").waitFor();
});

scenario("a click in the tree jumps to another universe", async () => {
  await editor.move(editor.row("Multiverse", "read_uart_sensor(0) = 0"), 26, /universe 0\.2 /);
});

scenario("the page stands beside the source, and follows it", async () => {
  await editor.toolbar("Show the Multiverse as a Page").click();
  const page = editor.webview();
  await page.locator(".universe", { hasText: "0.2" }).waitFor();
  await editor.focusSource();
  await editor.move("F5", 27, /universe 0\.2\+1/);
  await page.locator(".universe", { hasText: "0.2+1" }).waitFor();
  leave = () => editor.closeTab("Multiverse: color-dial.wasm");
});

scenario("lenses tell which universes come to a line, and lead there", async () => {
  const lens = editor.page.locator(".codelens-decoration a", { hasText: /universes? comes? here: read_uart_sensor\(0\) = 1\.\.7/ });
  await lens.last().waitFor();
  await editor.choose(/needs read_uart_sensor\(0\) = 1/, lens.last());
  await editor.stands(28, /universe/);
});

scenario("who wrote this goes back to the write", async () => {
  await editor.breakpoint("color-dial/color-dial.ts", 27);
  await editor.press("F5");
  await editor.status(/running/);
  await editor.press("F6");
  await editor.status(/universe/);
  await editor.file("color-dial/color-dial.ts", 20, 4);
  await editor.press("Alt+w");
  await editor.page.locator(".notification-toast", { hasText: "'current' was" }).waitFor();
  await editor.stands(20, /universe/);
  leave = async () => {
    await editor.command("Notifications: Clear All Notifications");
    await editor.stop();
  };
});

scenario("traps ahead are problems, with a way to go there", async () => {
  await editor.breakpoint("blink/blink.rs", 74);
  await editor.f5();
  await editor.stands(74, /universe/);
  await editor.page.locator(".squiggly-warning").first().waitFor();
  await editor.file("blink/blink.rs", 57);
  await editor.quickFix("Go there");
  await editor.move("Enter", undefined, /universe/);
  await editor.page.locator(".exception-widget, .zone-widget", { hasText: "subtract with overflow" }).first().waitFor();
  leave = () => editor.stop();
});

scenario("a test that fails is debugged where it parts", async () => {
  await editor.command("Testing: Focus on Test Explorer View");
  await editor.page.locator(".test-explorer .monaco-list-row", { hasText: "color-dial.test.json" }).waitFor();
  await editor.command("Test: Run All Tests");
  await editor.page.locator(".test-explorer .codicon-testing-failed-icon").first().waitFor();
  await editor.command("Test: Debug Failed Tests");
  await editor.stands(undefined, /universe 0\.5/);
  leave = () => editor.stop();
});

scenario("coverage shows the lines that no path comes to", async () => {
  await editor.command("Test: Run All Tests with Coverage");
  await editor.row("Test Coverage", "color-dial.ts").waitFor();
  await editor.file("color-dial/color-dial.ts");
  await editor.page.locator(".coverage-deco-gutter").first().waitFor();
});

scenario("F5 on a module of WASI comes to a breakpoint, the end, and back", async () => {
  await editor.breakpoint("lease/lease.c", 16);
  await editor.file("lease/lease.wasm");
  await editor.webview().locator("h2", { hasText: "lease.wasm" }).waitFor();
  await editor.f5();
  await editor.stands(16, /universe 0\.3/);
  await editor.move("F5", undefined, /universe 0\.5/);
  await editor.move("Alt+F5", 16, /universe 0\.3/);
  leave = () => editor.stop();
});

scenario("actors stand at a breakpoint, and the tree has their universes", async () => {
  await editor.breakpoint("math-actor/math.at", 13);
  await editor.f5();
  await editor.stands(13, /universe \d+ · paused/);
  await editor.row("Multiverse", "here").waitFor();
  await editor.move("Alt+F10", undefined, /universe \d+$/);
  await editor.row("Multiverse", /takes start\(\).*here/).waitFor();
  leave = () => editor.stop();
});

scenario("a mistake in a model is underlined until it is mended, and F12 goes to where a name is bound", async () => {
  await editor.file("philosophers/philosophers.oz", 16, 14);
  await editor.definition(6);
  await editor.file("philosophers/philosophers.oz", 16, 11);
  await editor.page.keyboard.type("x");
  const underlined = editor.page.locator(".editor-group-container.active .squiggly-error");
  await underlined.first().waitFor();
  await editor.press("Control+z");
  await underlined.first().waitFor({ state: "detached" });
  leave = () => editor.closeTab("philosophers.oz");
});

scenario("the walkthrough begins with F5", async () => {
  await editor.command("Welcome: Open Walkthrough...");
  await editor.choose(/Debug backwards and sideways/);
  await editor.page.locator(".getting-started-step", { hasText: "Step back" }).click();
  await editor.page.locator(".getting-started-step.expanded", { hasText: "Every key that goes forward" }).waitFor();
});
