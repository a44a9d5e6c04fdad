import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** Tests that start a server and a browser. */
function inBrowser(name: string) {
  const include = [`e2e/*.${name === "e2e" ? "test" : name}.ts`];
  return {
    extends: true as const,
    // A browser on a busy machine now and then takes longer than anybody waits: what fails once is tried once more, and said.
    test: { name, include, environment: "node", testTimeout: 90_000, hookTimeout: 90_000, retry: name === "e2e" ? 1 : 0 },
  };
}

// The page is built into the crate that serves it: three files with fixed names, which `crates/web` embeds.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../crates/web/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        // What comes from public/ keeps its name.
        assetFileNames: "page[extname]",
        inlineDynamicImports: true,
      },
    },
  },
  test: {
    fileParallelism: false,
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], environment: "node", testTimeout: 60_000 } },
      inBrowser("e2e"),
      inBrowser("pictures"),
      inBrowser("bench"),
    ],
  },
});
