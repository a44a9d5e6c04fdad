import { mount } from "svelte";
import App from "./App.svelte";
import { texts } from "./source/texts";
import { view } from "./state/view.svelte";
import "./theme.css";

/** The page is made at once with what there is to show, unless the server takes longer than this. */
const PATIENCE_MS = 200;

async function first(): Promise<void> {
  await view.connect();
  const file = view.info?.here.file;
  if (file) {
    await texts.fetch(file);
  }
}

const target = document.getElementById("app");
if (target) {
  const late = new Promise((resolve) => window.setTimeout(resolve, PATIENCE_MS));
  await Promise.race([first(), late]);
  mount(App, { target });
}
