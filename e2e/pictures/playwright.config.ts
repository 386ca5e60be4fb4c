import { defineConfig } from "@playwright/test";
import { join } from "node:path";

import base from "../../playwright.config.ts";

// `npm run pictures`: makes the pictures of the README and of the handbook from the running product.
export default defineConfig({
  ...base,
  testDir: ".",
  testMatch: "*.pictures.ts",
  globalSetup: join(import.meta.dirname, "..", "global-setup.ts"),
  outputDir: join(import.meta.dirname, "..", "..", "test-results"),
  workers: 1,
  timeout: 180_000,
});
