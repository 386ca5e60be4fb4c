import { type Browser, type BrowserContext, chromium } from "@playwright/test";

import { getChromium } from "../../scripts/chromium.ts";
import type { Product } from "./product.ts";

const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
const screen = { width: 1440, height: 900 };

export function openBrowser(): Promise<Browser> {
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({
    executablePath: getChromium(),
    args: [...asRoot, ...quiet, "--no-first-run", "--disable-quic"],
  });
}

/** A browser's profile in which the owner of the product's workflow is signed in, past the questions of the first day. */
export async function signIn(browser: Browser, { bench, url }: Product): Promise<BrowserContext> {
  await bench.owner.post("/api/v3/auth/onboarding", { industry: "", role: "" });
  const context = await browser.newContext({ viewport: screen });
  await context.addCookies([...bench.owner.cookies].map(([name, value]) => ({ name, value, url })));
  return context;
}

/** The address of the workflow in the editor. */
export function editorOf({ bench, url }: Product): string {
  return `${url}/designer/projects/${bench.projectId}/graphs/${bench.graphId}`;
}
