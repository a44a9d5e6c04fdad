import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["test/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/*.test.ts"],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          // Scenarios share one editor and follow each other: what comes after a failure says nothing.
          bail: 1,
        },
      },
    ],
  },
});
