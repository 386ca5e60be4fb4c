/// <reference lib="dom" />
import { type Browser, chromium, type Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { getChromium } from "../../scripts/chromium.ts";
import type { Team } from "./people.ts";
import { openProxy, type FaultyProxy } from "./proxy.ts";

/** A real browser in which the first person of a team watches the log. */
export interface Watcher {
  team: Team;
  proxy: FaultyProxy;
  page: Page;
  heapMb(): Promise<number>;
  /** The numbers of the printed lines that the panel has, in its order. */
  numbers(): Promise<number[]>;
  /** Whether the panel still fetches lines. */
  hasGap(): Promise<boolean>;
}

export function launch(): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  // Chromium's own sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox", ...quiet] : quiet;
  return chromium.launch({ executablePath: getChromium(), args: [...args, "--enable-precise-memory-info"] });
}

export async function watch(browser: Browser, team: Team, port: () => number): Promise<Watcher> {
  const proxy = await openProxy(port);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [owner] = team.people;
  await context.addCookies(Array.from(owner?.cookies ?? [], ([name, value]) => ({ name, value, url: proxy.url })));
  const page = await context.newPage();
  await page.goto(`${proxy.url}/designer/projects/${team.projectId}/graphs/${team.graphId}`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByTestId("log-lines").getByText("line ").first().waitFor({ timeout: 120_000 });
  return {
    team,
    proxy,
    page,
    heapMb: () =>
      page.evaluate(() => {
        const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
        return memory.usedJSHeapSize / 1e6;
      }),
    async numbers() {
      const saved = page.waitForEvent("download", { timeout: 60_000 });
      await page.getByRole("region", { name: "Logs" }).getByRole("button", { name: "Download" }).click();
      const text = await readFile(await (await saved).path(), "utf8");
      return numbersIn(text);
    },
    hasGap: async () => (await page.getByTestId("log-gap").count()) > 0,
  };
}

export function numbersIn(text: string): number[] {
  return [...text.matchAll(/\bline (\d+)\b/g)].map(([, number]) => Number(number));
}
