/// <reference lib="dom" />
import type { Browser, Page } from "@playwright/test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startBarePage } from "../measuring/bare-page.ts";
import { editorOf, openBrowser, signIn } from "../measuring/browser.ts";
import { type Measurement, median, size, sized } from "../measuring/measurement.ts";
import { openProduct, type Product } from "../measuring/product.ts";

// Opens a graph of 5,000 nodes and 6,000 edges in our editor and in a bare @xyflow/react page, alternately, in one
// browser. Compares the time until the graph is drawn, the frame times while panning near and far, and the heap size.

const nodeCount = sized(5_000, { tiny: 50 });
const edgeCount = sized(6_000, { tiny: 60 });
const columns = 100;
const rounds = sized(3);
const panSteps = sized(120, { tiny: 8 });
const settling = sized(1_000, { tiny: 10 });
/** How many times what the bare page needs. */
const budgets = { drawn: 1.5, median: 1.5, heap: 4 } as const;
const views = {
  near: size === "tiny" ? { x: 0, y: 0, zoom: 1 } : { x: -3_000, y: -2_000, zoom: 1 },
  far: { x: 60, y: 240, zoom: 0.038 },
} as const;
type ViewName = keyof typeof views;

interface Figures {
  drawn: number;
  median: number;
  p95: number;
  fps: number;
  heap: number;
}

function sampleGraph() {
  const attribute = (name: string, direction: string, more: object = {}) => ({ name, kind: "any", direction, ...more });
  const nodes = Array.from({ length: nodeCount }, (_, index) => ({
    key: index + 1,
    class: "Code_block",
    name: `Step ${index}`,
    position: { x: (index % columns) * 340, y: Math.floor(index / columns) * 220 },
    api: {
      attributes: [
        attribute("input", "RECEIVER"),
        attribute("output", "TRANSMITTER"),
        attribute("rate", "RECEIVER_FIELD", { kind: "float", value: 0.5, control: { type: "number" } }),
      ],
    },
  }));
  const edges = Array.from({ length: edgeCount }, (_, index) => {
    const from = index % nodeCount;
    const to = (from + (index < nodeCount ? 1 : columns + 1)) % nodeCount;
    return {
      source_wob_key: from + 1,
      source_transmitter_key: "output",
      destination_wob_key: to + 1,
      destination_receiver_key: "input",
    };
  });
  return { nodes, edges };
}

/** The time from the start of the navigation until nodes, or the far view's layer, are on the screen. */
async function open(page: Page, address: string): Promise<number> {
  await page.goto(address, { waitUntil: "commit" });
  return page.evaluate(
    () =>
      new Promise<number>((drawn) => {
        const check = () => {
          const isInPage = document.querySelector(".react-flow__node, [data-testid=far-layer]");
          if (!isInPage) return requestAnimationFrame(check);
          // The browser has painted it two frames later.
          return requestAnimationFrame(() => requestAnimationFrame(() => drawn(performance.now())));
        };
        check();
      }),
  );
}

/** Pans by one wheel event per frame, and counts only the frames in which the view moved. */
async function pan(page: Page): Promise<Pick<Figures, "median" | "p95" | "fps">> {
  const frames = await page.evaluate(
    async ({ steps, clientX, clientY }) => {
      const nextFrame = () => new Promise<number>((drawn) => requestAnimationFrame(drawn));
      const viewport = document.querySelector<HTMLElement>(".react-flow__viewport");
      const pane = document.querySelector(".react-flow__pane");
      const moved: number[] = [];
      let [last, lastAt] = [viewport?.style.transform, await nextFrame()];
      for (let step = 0; step < steps; step += 1) {
        const deltaX = step < steps / 2 ? 30 : -30;
        const event = { deltaX, deltaY: 8, clientX, clientY, bubbles: true, cancelable: true };
        pane?.dispatchEvent(new WheelEvent("wheel", event));
        const now = await nextFrame();
        if (viewport?.style.transform === last) continue;
        moved.push(now - lastAt);
        lastAt = now;
        last = viewport?.style.transform;
      }
      return moved.slice(2);
    },
    { steps: panSteps, clientX: 720, clientY: 450 },
  );
  const sorted = frames.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const elapsed = frames.reduce((sum, frame) => sum + frame, 0);
  return { median: at(0.5), p95: at(0.95), fps: (frames.length / elapsed) * 1_000 };
}

async function heap(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await devtools.send("Runtime.getHeapUsage")) as { usedSize: number };
  await devtools.detach();
  return usedSize / 1_048_576;
}

async function measure(page: Page, address: string): Promise<Figures> {
  const drawn = await open(page, address);
  await page.waitForTimeout(settling);
  const frames = await pan(page);
  return { drawn, ...frames, heap: await heap(page) };
}

function words({ drawn, median, p95, fps, heap: size }: Figures): string {
  const frame = `frame ${median.toFixed(1)} ms (p95 ${p95.toFixed(1)} ms), ${fps.toFixed(0)} moved frames/s`;
  return `drawn ${drawn.toFixed(0)} ms, ${frame}, heap ${size.toFixed(1)} MB`;
}

function medians(runs: readonly Figures[]): Figures {
  const of = (key: keyof Figures) => median(runs.map((run) => run[key]));
  return { drawn: of("drawn"), median: of("median"), p95: of("p95"), fps: of("fps"), heap: of("heap") };
}

function asResult(view: ViewName, ours: Figures, bare: Figures): Measurement {
  const ratio = (key: keyof Figures) => ours[key] / bare[key];
  const compared = Object.keys(budgets) as (keyof typeof budgets)[];
  return {
    name: `the editor with 5,000 nodes, ${view === "near" ? "at 100 %" : "the whole graph in view"}`,
    ours: words(ours),
    bare: `xyflow ${words(bare)}`,
    ratio: compared.map((key) => `${key} ${ratio(key).toFixed(2)}`).join(", "),
    budget: compared.map((key) => `${key} <= ${budgets[key]}`).join(", "),
    passes: compared.every((key) => ratio(key) <= budgets[key]),
    times: ratio("drawn"),
  };
}

async function compare(browser: Browser, product: Product, bare: string, bareFolder: string): Promise<Measurement[]> {
  const { bench, url } = product;
  const graph = `/api/v3/graphs/${bench.graphId}`;
  const pasted = await bench.owner.postJson(`${graph}/paste`, sampleGraph());
  if (pasted.status !== 200) throw new Error(pasted.text);
  await writeFile(join(bareFolder, "graph.json"), (await bench.owner.get(`${graph}/graph`)).text);
  const page = await (await signIn(browser, product)).newPage();
  const address = editorOf(product);
  // Open each page once, so that the browser has both in its cache.
  await open(page, address);
  await open(page, bare);
  const results: Measurement[] = [];
  for (const view of size === "quick" ? (["near"] as const) : (["near", "far"] as const)) {
    const viewport = JSON.stringify(views[view]);
    const runs: Record<"ours" | "bare", Figures[]> = { ours: [], bare: [] };
    for (let round = 0; round < rounds; round += 1) {
      await page.goto(`${url}/login`);
      await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
        `viewport:${bench.graphId}`,
        viewport,
      ] as const);
      runs.ours.push(await measure(page, address));
      runs.bare.push(await measure(page, `${bare}?viewport=${encodeURIComponent(viewport)}`));
    }
    results.push(asResult(view, medians(runs.ours), medians(runs.bare)));
  }
  return results;
}

export async function editor(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-bare-"));
  const bare = await startBarePage("screens/bare-xyflow", folder);
  const product = await openProduct({ MIRANDA_DEV: "false" });
  const browser = await openBrowser();
  try {
    return await compare(browser, product, bare.url, folder);
  } finally {
    await browser.close();
    bare.close();
    await product.close();
    await rm(folder, { recursive: true, force: true });
  }
}
