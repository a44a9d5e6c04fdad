// Bundles the extension, and what it puts into the page's webview.
import { build } from "esbuild";

const common = { bundle: true, outdir: "dist", minify: true, legalComments: "none", logLevel: "warning" };

await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  platform: "node",
  target: "node20",
  format: "cjs",
  // 'ws' asks for these to be faster, and does without.
  external: ["vscode", "bufferutil", "utf-8-validate"],
});
await build({ ...common, entryPoints: { page: "src/page/inside/index.ts" }, platform: "browser", target: "es2022", format: "iife" });
