/// <reference lib="dom" />
import { chromium, type Page } from "@playwright/test";
import pg from "pg";

import { getChromium } from "../scripts/chromium.ts";
import { buildInstallation, fullVolumes } from "./full/build-installation.ts";
import { addLog, addModel, addNodes } from "./full/large-things.ts";
import { median } from "./measurement.ts";
import { openProduct } from "./product.ts";

// Opens the screens as an account that owns a large share of everything, on an almost empty installation and on a full one,
// and scrolls them. Prints the times, the ratios and the frames per second.

const rounds = 5;
const timesSlower = 1.5;
const framesMin = 55;
const nodeCount = 20_000;
const graphSeconds = 4;
const screen = { width: 1440, height: 900 };

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

const product = await openProduct();
const pool = new pg.Pool({ connectionString: product.databaseUrl, max: 2 });
const browser = await chromium.launch({
  executablePath: getChromium(),
  args: ["--no-sandbox", "--disable-background-networking"],
});
let failed = 0;
function print(passes: boolean, line: string): void {
  failed += passes ? 0 : 1;
  process.stdout.write(`${passes ? "ok  " : "OVER"} ${line}\n`);
}

try {
  const { bench, url } = product;
  const step = await bench.node(
    `from miranda import Node, Receiver, Transmitter\n\n\nclass Step(Node):\n    rows = Receiver("table")\n    out = Transmitter("table")\n`,
  );
  await bench.owner.post("/api/v3/auth/onboarding", { industry: "", role: "" });
  const account = bench.owner.account.id;
  await addLog(pool, bench.graphId, account, 1_000);
  await addModel(pool, bench.graphId);
  const context = await browser.newContext({ viewport: screen });
  await context.addCookies([...bench.owner.cookies].map(([name, value]) => ({ name, value, url })));
  const page = await context.newPage();
  const graph = `/designer/projects/${bench.projectId}/graphs/${bench.graphId}`;
  const screens: Screen[] = [
    { name: "home", path: "/designer/", ready: "[data-testid=project-card]" },
    { name: "browse", path: "/designer/browse", ready: "h1" },
    { name: "models", path: "/designer/models", ready: "[data-testid=model]", scrolls: "section[aria-label=Models]" },
    {
      name: "processors",
      path: "/designer/processors",
      ready: "[data-testid=session]",
      scrolls: "[data-testid=session-list]",
    },
    { name: "a workflow", path: graph, ready: "[data-testid=node]" },
    { name: "the history of a node", path: `${graph}/code/${step}`, ready: ".cm-content" },
  ];
  const small = new Map<string, number>();
  for (const one of screens) small.set(one.name, await open(page, url, one));
  await buildInstallation(pool, account, fullVolumes, (line) => process.stderr.write(`${line}\n`));
  for (const one of screens) {
    const before = small.get(one.name) ?? 0;
    const after = await open(page, url, one);
    const frames = await scroll(page, one.scrolls);
    print(
      after <= timesSlower * before && frames >= framesMin,
      `${one.name}: ${after.toFixed(0)} ms; almost empty ${before.toFixed(0)} ms; ratio ${(after / before).toFixed(2)} (budget ${timesSlower}); scrolled at ${frames.toFixed(0)} frames/s (budget ${framesMin})`,
    );
  }
  await addNodes(pool, bench.graphId, step, nodeCount);
  const opened = await open(page, url, {
    name: "a large graph",
    path: graph,
    ready: "[data-testid=node], [data-testid=far-layer]",
  });
  print(
    opened <= graphSeconds * 1_000,
    `a graph of ${nodeCount} nodes: ${opened.toFixed(0)} ms (budget ${graphSeconds} s)`,
  );
} finally {
  await browser.close();
  await pool.end();
  await product.close();
}
process.exit(failed > 0 ? 1 : 0);
