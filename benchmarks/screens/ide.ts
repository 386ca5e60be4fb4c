/// <reference lib="dom" />
import type { Browser, BrowserContext } from "@playwright/test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startBarePage } from "../measuring/bare-page.ts";
import { editorOf, openBrowser, signIn } from "../measuring/browser.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";
import { openProduct, type Product } from "../measuring/product.ts";

// Measures the time from the start of the navigation until a typed letter is on the screen: in our IDE with a node of 300
// lines, and in a bare CodeMirror page with the same text, alternately, in one browser.

const rounds = sized(7, { quick: 5 });
const budget = 2;
const mark = "\u{2603}";
const code = `from miranda import Node\n\n\nclass Long(Node):\n${Array.from(
  { length: 100 },
  (_, at) => `    def step_${at}(self, value):\n        """One of many."""\n        return value * ${at}\n`,
).join("")}`;

async function openAndType(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(address, { waitUntil: "commit" });
  await page.waitForFunction(() => document.activeElement?.matches(".cm-content:not([aria-readonly=true])") === true);
  await page.keyboard.insertText(mark);
  const time = await page
    .waitForFunction((text) => {
      const isShown = document.querySelector(".cm-content")?.textContent?.includes(text) === true;
      return isShown && performance.now();
    }, mark)
    .then((handle) => handle.jsonValue() as Promise<number>);
  await page.keyboard.press("Backspace");
  await page.close();
  return time;
}

async function measure(browser: Browser, product: Product, bare: string): Promise<Measurement> {
  const context = await signIn(browser, product);
  const node = await product.bench.node(code, "Long");
  const address = `${editorOf(product)}/code/${node}`;
  const times: Record<"ours" | "bare", number[]> = { ours: [], bare: [] };
  // The first round only fills the caches of the browser and the server.
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await openAndType(context, address);
    const baseline = await openAndType(context, bare);
    if (round === 0) continue;
    times.ours.push(ours);
    times.bare.push(baseline);
  }
  const [ours, baseline] = [median(times.ours), median(times.bare)];
  const ratio = ours / baseline;
  return {
    name: "opening the IDE, until a typed letter shows",
    ours: `${ours.toFixed(0)} ms`,
    bare: `CodeMirror ${baseline.toFixed(0)} ms`,
    ratio: ratio.toFixed(2),
    budget: `<= ${budget}`,
    passes: ratio <= budget,
    times: ratio,
  };
}

export async function ide(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-bench-ide-"));
  const bare = await startBarePage("screens/bare-codemirror", folder);
  await writeFile(join(folder, "code.py"), code);
  const product = await openProduct({ MIRANDA_DEV: "false" });
  const browser = await openBrowser();
  try {
    return [await measure(browser, product, bare.url)];
  } finally {
    await browser.close();
    bare.close();
    await product.close();
    await rm(folder, { recursive: true, force: true });
  }
}
