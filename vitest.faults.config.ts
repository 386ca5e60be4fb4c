import { defineConfig } from "vitest/config";

// The long ones: servers of their own that are killed, stopped and started again.
export default defineConfig({
  test: {
    include: ["server/faults/*.fault.ts"],
    globalSetup: ["server/testing/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
