/// <reference lib="dom" />
import type { Page } from "@playwright/test";
import pg from "pg";

import { buildInstallation, fullVolumes } from "../full/build-installation.ts";
import { addLog, addModel, addNodes } from "../full/large-things.ts";
import { editorOf, openBrowser, signIn } from "../measuring/browser.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";
import { openProduct } from "../measuring/product.ts";

// Opens the screens as an account that owns a large share of everything, on an almost empty installation and on a full one,
// and scrolls them.

const rounds = sized(5);
const timesSlower = 1.5;
const framesMin = 55;
const nodeCount = sized(20_000, { tiny: 50 });
const graphSeconds = 4;

interface Screen {
  name: string;
  path: string;
  /** Something that is only there when the screen can be used. */
  ready: string;
  /** What scrolls; the page when there is none. */
  scrolls?: string;
}

async function open(page: Page, url: string, { path, ready }: Screen): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await page.goto("about:blank");
    const began = performance.now();
    await page.goto(url + path);
    await page.locator(ready).first().waitFor();
    // The first time also fills the browser's cache.
    if (round > 0) times.push(performance.now() - began);
  }
  return median(times);
}

/** Frames per second while the screen is scrolled for two seconds. */
function scroll(page: Page, selector: string | undefined): Promise<number> {
  return page.evaluate(async (chosen) => {
    const element = (chosen ? document.querySelector(chosen) : null) ?? document.scrollingElement;
    const began = performance.now();
    let frames = 0;
    while (performance.now() - began < 2_000) {
      element?.scrollBy(0, 40);
      await new Promise(requestAnimationFrame);
      frames += 1;
    }
    return (frames / (performance.now() - began)) * 1_000;
  }, selector);
}

const stepCode = `from miranda import Node, Receiver, Transmitter


class Step(Node):
    rows = Receiver("table")
    out = Transmitter("table")
`;

function screensOf(graph: string, step: number): Screen[] {
  const sessions = { ready: "[data-testid=session]", scrolls: "[data-testid=session-list]" };
  const models = { ready: "[data-testid=model]", scrolls: "section[aria-label=Models]" };
  return [
    { name: "home", path: "/designer/", ready: "[data-testid=project-card]" },
    { name: "browse", path: "/designer/browse", ready: "h1" },
    { name: "models", path: "/designer/models", ...models },
    { name: "processors", path: "/designer/processors", ...sessions },
    { name: "a workflow", path: graph, ready: "[data-testid=node]" },
    { name: "the history of a node", path: `${graph}/code/${step}`, ready: ".cm-content" },
  ];
}

export async function fullScreens(): Promise<Measurement[]> {
  const product = await openProduct();
  const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 2 });
  const browser = await openBrowser();
  try {
    const { bench, url } = product;
    const step = await bench.node(stepCode);
    const account = bench.owner.account.id;
    await addLog(pool, bench.graphId, account, 1_000);
    await addModel(pool, bench.graphId);
    const page = await (await signIn(browser, product)).newPage();
    const graph = editorOf(product).slice(url.length);
    const screens = screensOf(graph, step);
    const small = new Map<string, number>();
    for (const one of screens) small.set(one.name, await open(page, url, one));
    await buildInstallation(pool, account, fullVolumes, (line) => process.stderr.write(`${line}\n`));
    const results: Measurement[] = [];
    for (const one of screens) {
      const before = small.get(one.name) ?? 0;
      const after = await open(page, url, one);
      const frames = await scroll(page, one.scrolls);
      results.push({
        name: `${one.name} of a full installation`,
        ours: `${after.toFixed(0)} ms, scrolled at ${frames.toFixed(0)} frames/s`,
        bare: `almost empty ${before.toFixed(0)} ms`,
        ratio: (after / before).toFixed(2),
        budget: `<= ${timesSlower}, >= ${framesMin} frames/s`,
        passes: after <= timesSlower * before && frames >= framesMin,
      });
    }
    await addNodes(pool, bench.graphId, step, nodeCount);
    const ready = "[data-testid=node], [data-testid=far-layer]";
    const opened = await open(page, url, { name: "a large graph", path: graph, ready });
    results.push({
      name: `a graph of ${nodeCount} nodes`,
      ours: `${opened.toFixed(0)} ms`,
      bare: "",
      ratio: "",
      budget: `<= ${graphSeconds} s`,
      passes: opened <= graphSeconds * 1_000,
    });
    return results;
  } finally {
    await browser.close();
    await pool.end();
    await product.close();
  }
}
