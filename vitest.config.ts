import { defineConfig } from "vitest/config";

import LongestFirst from "./scripts/results/longest-first.ts";

const shared = {
  pool: "forks",
  // Patience costs nothing where all is well: a busy machine is no reason to fail.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 20_000 } },
} as const;

export default defineConfig({
  test: {
    // Twice the cores of the smallest machine: half of the time is waiting for containers, agents and clocks.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: "server",
          include: ["{benchmarks,contract,server,scripts}/**/*.test.ts"],
          globalSetup: ["server/testing/global-setup.ts"],
          setupFiles: ["server/testing/vitest-setup.ts"],
          // Node runs this TypeScript itself, in the tests as in the product: it loads twice as fast as through Vite.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // Loading the server takes two seconds: a worker does it once, not for each of 400 files.
          isolate: false,
        },
      },
      { test: { ...shared, name: "web", include: ["web/**/*.test.{ts,tsx}"] } },
    ],
  },
});
