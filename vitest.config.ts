import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,server,web,scripts}/**/*.test.{ts,tsx}"],
    globalSetup: ["server/testing/global-setup.ts"],
    setupFiles: ["server/testing/vitest-setup.ts"],
    pool: "forks",
    // One more than the cores of the smallest machine: half of the time is waiting for containers, agents and clocks.
    maxWorkers: 3,
    // Patience costs nothing where all is well: a busy machine is no reason to fail.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
