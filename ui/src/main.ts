import { mount } from "svelte";
import App from "./App.svelte";
import ModelApp from "./model/ModelApp.svelte";
import "./theme.css";

const target = document.getElementById("app");
if (target) {
  // The server says by a mark whether a device program or one of a model language is debugged.
  mount(target.hasAttribute("data-model") ? ModelApp : App, { target });
}
