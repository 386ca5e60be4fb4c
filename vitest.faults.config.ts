import { defineConfig } from "vitest/config";

// The long ones: servers of their own that are killed, stopped and started again.
export default defineConfig({
  test: {
    include: ["server/faults/**/*.fault.ts"],
    globalSetup: ["server/testing/global-setup.ts"],
    setupFiles: ["server/testing/vitest-setup.ts"],
    pool: "forks",
    // One more than the cores of the smallest machine: half of the time is waiting for containers, agents and clocks.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As in vitest.config.ts: Node runs this TypeScript itself.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    expect: { poll: { timeout: 20_000 } },
  },
});
