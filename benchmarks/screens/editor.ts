/// <reference lib="dom" />
import type { Browser, Page } from "@playwright/test";
import { chromium } from "@playwright/test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { build } from "vite";

import { getChromium } from "../scripts/chromium.ts";

// Opens a graph of 5,000 nodes and 6,000 edges in our editor and in a bare @xyflow/react page, alternately, in one
// browser. Prints the time until the graph is drawn, the frame times while panning near and far, the heap size, and the
// ratios.

const nodeCount = 5_000;
const edgeCount = 6_000;
const columns = 100;
const rounds = 3;
const panSteps = 120;
const screen = { width: 1440, height: 900 };
const views = {
  near: { x: -3_000, y: -2_000, zoom: 1 },
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

const root = resolve(import.meta.dirname, "..");

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

async function startProduct(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ["server/main.ts"], {
    cwd: root,
    env: { ...process.env, PORT: "0", MIRANDA_DATA: folder, DATABASE_URL: "", LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    const url = /Miranda is at (\S+)/.exec(String(chunk))?.[1];
    if (url) return { child, url };
  }
  throw new Error("The server did not start.");
}

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

async function startBare(folder: string): Promise<{ url: string; close: () => void }> {
  await build({
    configFile: false,
    root: join(root, "benchmarks", "bare-xyflow"),
    base: "./",
    logLevel: "error",
    build: { outDir: folder, target: "es2022" },
  });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/json" });
    return createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

async function call<Answer>(page: Page, url: string, data: object): Promise<Answer> {
  const answer = await page.request.post(url, { data });
  if (!answer.ok()) throw new Error(`${url}: ${answer.status()} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

async function prepare(page: Page, product: string): Promise<{ address: string; graphId: string }> {
  const username = `bench${Date.now()}`;
  const api = `${product}/api/v3`;
  await call(page, `${api}/auth/register`, {
    username,
    email: `${username}@example.org`,
    first_name: "Bench",
    last_name: "Mark",
    password: "correct horse battery",
  });
  await call(page, `${api}/auth/onboarding`, { industry: "", role: "" });
  const project = await call<{ id: string }>(page, `${api}/projects/`, { name: "Benchmark", description: "" });
  const graph = await call<{ id: string }>(page, `${api}/graphs/`, {
    name: "Large",
    description: "",
    project_id: project.id,
  });
  await call(page, `${api}/graphs/${graph.id}/paste`, sampleGraph());
  return { address: `${product}/designer/projects/${project.id}/graphs/${graph.id}`, graphId: graph.id };
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
    { steps: panSteps, clientX: screen.width / 2, clientY: screen.height / 2 },
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
  await page.waitForTimeout(1_000);
  const frames = await pan(page);
  return { drawn, ...frames, heap: await heap(page) };
}

function medians(runs: readonly Figures[]): Figures {
  const of = (key: keyof Figures) =>
    runs.map((run) => run[key]).sort((one, other) => one - other)[runs.length >> 1] ?? 0;
  return { drawn: of("drawn"), median: of("median"), p95: of("p95"), fps: of("fps"), heap: of("heap") };
}

function print(label: string, { drawn, median, p95, fps, heap: size }: Figures): void {
  const frame = `frame ${median.toFixed(1)} ms (p95 ${p95.toFixed(1)} ms), ${fps.toFixed(0)} moved frames/s`;
  console.log(`${label.padEnd(14)} drawn ${drawn.toFixed(0)} ms, ${frame}, heap ${size.toFixed(1)} MB`);
}

async function compare(browser: Browser, product: string, bare: string, bareFolder: string): Promise<void> {
  const context = await browser.newContext({ viewport: screen });
  const page = await context.newPage();
  const { address, graphId } = await prepare(page, product);
  const graph = await page.request.get(`${product}/api/v3/graphs/${graphId}/graph`);
  await writeFile(join(bareFolder, "graph.json"), await graph.text());
  // Open each page once, so that the browser has both in its cache.
  await open(page, address);
  await open(page, bare);

  for (const view of Object.keys(views) as ViewName[]) {
    const viewport = JSON.stringify(views[view]);
    const results: Record<"ours" | "bare", Figures[]> = { ours: [], bare: [] };
    for (let round = 0; round < rounds; round += 1) {
      await page.goto(`${product}/login`);
      await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
        `viewport:${graphId}`,
        viewport,
      ] as const);
      results.ours.push(await measure(page, address));
      results.bare.push(await measure(page, `${bare}?viewport=${encodeURIComponent(viewport)}`));
    }
    const [ours, other] = [medians(results.ours), medians(results.bare)];
    console.log(view === "near" ? "At 100 %" : "Whole graph in view");
    print("  editor", ours);
    print("  bare xyflow", other);
    const ratio = (key: keyof Figures) => (ours[key] / other[key]).toFixed(2);
    console.log(
      `  ratio          drawn ${ratio("drawn")}, frame ${ratio("median")} (p95 ${ratio("p95")}), heap ${ratio("heap")}`,
    );
  }
  await context.close();
}

const dataFolder = await mkdtemp(join(tmpdir(), "miranda-bench-"));
const bareFolder = await mkdtemp(join(tmpdir(), "miranda-bare-"));
const product = await startProduct(dataFolder);
const bare = await startBare(bareFolder);
const browser = await chromium.launch({
  executablePath: getChromium(),
  args: [
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
  ],
});
try {
  await compare(browser, product.url, bare.url, bareFolder);
} finally {
  await browser.close();
  bare.close();
  product.child.kill("SIGTERM");
  await once(product.child, "exit");
  await rm(dataFolder, { recursive: true, force: true });
  await rm(bareFolder, { recursive: true, force: true });
}
