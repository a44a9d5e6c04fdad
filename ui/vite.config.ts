import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The page is built into the crate that serves it: three files with fixed names, which `crates/web` embeds.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../crates/web/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        inlineDynamicImports: true,
      },
    },
  },
  test: {
    fileParallelism: false,
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"], environment: "node" } },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/**/*.test.ts"],
          environment: "node",
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
