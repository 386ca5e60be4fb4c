/// <reference lib="dom" />
import type { Browser, Page } from "@playwright/test";
import { setTimeout as sleep } from "node:timers/promises";

import { startBarePython } from "../measuring/bare-python.ts";
import { editorOf, openBrowser, signIn } from "../measuring/browser.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";
import { openProduct } from "../measuring/product.ts";

// Measures the time from the key press that runs a trivial node until its output is on the screen. Beside it the same key
// on a page that only sends a line to a Python process and shows the answer. Each has its own browser; otherwise the
// measurement would include switching tabs.

const rounds = sized(25, { quick: 15 });
const budget = 5;

const node = `import time
from miranda import *

class Tick(Node):
    cache = False
    def run(self):
        self.show(f"tick {time.time_ns()}")
`;

interface Timed {
  report?: (milliseconds: number) => void;
}

/** Makes the page report the time from each key press until a new tick is on the screen. */
async function watchTicks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const timed = globalThis as Timed;
    const newestTick = () =>
      [...(document.body.textContent ?? "").matchAll(/tick (\d{15,})/g)]
        .map(([, at]) => at ?? "")
        .toSorted()
        .at(-1) ?? "";
    let began = 0;
    let seen = newestTick();
    addEventListener("keydown", () => (began = performance.now()), true);
    new MutationObserver(() => {
      const newest = newestTick();
      if (newest <= seen) return;
      seen = newest;
      // It is on the screen in the next frame.
      requestAnimationFrame(() => timed.report?.(performance.now() - began));
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}

/** From the key press until a new tick is on the screen. */
async function timeOf(page: Page, key: string): Promise<number> {
  const reported = page.evaluate(() => new Promise<number>((resolve) => ((globalThis as Timed).report = resolve)));
  await page.keyboard.press(key);
  return reported;
}

/** Two pages in turn, which each run on a key. The medians. */
export async function inTurn(
  [ours, ourKey]: [Page, string],
  [bare, bareKey]: [Page, string],
): Promise<[ours: number, bare: number]> {
  await watchTicks(ours);
  await watchTicks(bare);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    times[0].push(await timeOf(ours, ourKey));
    await sleep(300);
    times[1].push(await timeOf(bare, bareKey));
    await sleep(300);
  }
  return [median(times[0]), median(times[1])];
}

/** The product with a workflow of one node, which F5 runs, in the editor. */
export async function openOurs(browser: Browser) {
  const product = await openProduct({ MIRANDA_DEV: "false" });
  const { bench } = product;
  await bench.node(node, "Tick");
  await bench.start();
  const page = await (await signIn(browser, product)).newPage();
  await page.goto(editorOf(product));
  await page.getByText("Tick").first().waitFor();
  await page.keyboard.press("F5");
  await page
    .getByText(/tick \d+/)
    .first()
    .waitFor();
  return { page, close: () => product.close() };
}

export async function runOnScreen(): Promise<Measurement[]> {
  const browsers = [await openBrowser(), await openBrowser()] as const;
  const closers: (() => Promise<unknown>)[] = browsers.map((browser) => () => browser.close());
  try {
    const ours = await openOurs(browsers[0]);
    closers.push(ours.close);
    const endpoint = await startBarePython();
    closers.push(endpoint.close);
    const bare = await browsers[1].newPage();
    await bare.goto(endpoint.url);
    const [product, python] = await inTurn([ours.page, "F5"], [bare, "F5"]);
    const ratio = product / python;
    return [
      {
        name: "from Run until the output shows",
        ours: `${product.toFixed(1)} ms`,
        bare: `a page with one Python process ${python.toFixed(1)} ms`,
        ratio: ratio.toFixed(2),
        budget: `<= ${budget}`,
        passes: ratio <= budget,
        times: ratio,
      },
    ];
  } finally {
    for (const close of closers) await close();
  }
}
