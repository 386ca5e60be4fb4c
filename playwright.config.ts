import { defineConfig } from "@playwright/test";

import { getChromium } from "./scripts/chromium.ts";

const quiet = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-quic",
];

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/global-setup.ts",
  outputDir: "test-results",
  // One more than the cores of the smallest machine: a journey waits for half of its time.
  workers: 3,
  fullyParallel: true,
  // Patience costs nothing where all is well: a busy machine is no reason to fail.
  timeout: 90_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  use: {
    viewport: { width: 1440, height: 900 },
    // A trace takes 40 % of a journey's time. Ask for one with `--trace retain-on-failure`.
    trace: "off",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: getChromium(),
      // Chromium's own sandbox does not work for root.
      args: process.getuid?.() === 0 ? ["--no-sandbox", ...quiet] : quiet,
    },
  },
});
