// Runs in the page's webview before the page does.
import type { FromPage } from "../messages";
import { followEditor } from "./scheme";
import { relay } from "./socket";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
window.WebSocket = relay((message) => editor.postMessage(message));
followEditor();
