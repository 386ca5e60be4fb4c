import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,server,web,scripts}/**/*.test.{ts,tsx}"],
    globalSetup: ["server/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // What may be slow on a busy machine is bounded by its own waits; this one only ends what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
