/// <reference lib="dom" />
import type { Page } from "@playwright/test";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build, preview } from "vite";

import { openBrowser } from "../measuring/browser.ts";
import { type Measurement, median, sized } from "../measuring/measurement.ts";

// Compares the log panel with a minimal list, each with a million lines: frame times while scrolling, while a pattern is
// typed into the filter, and while 10,000 lines a second arrive. Alternately, in one browser.

const lineCount = sized(1_000_000, { tiny: 10_000 });
const linesPerSecond = 10_000;
const duration = sized(4_000, { tiny: 200 });
const rounds = sized(3);
const budgetFps = 50;

const kinds = ["scrolling", "typing in the filter", "tail of 10,000 lines/s"] as const;
type Kind = (typeof kinds)[number];
type Side = "ours" | "bare";

interface Bench {
  show: (which: Side, lines: number) => void;
  scroll: (milliseconds: number) => Promise<number[]>;
  type: (milliseconds: number) => Promise<number[]>;
  tail: (which: Side, milliseconds: number, perSecond: number) => Promise<number[]>;
}
declare global {
  interface Window {
    bench: Bench;
  }
}

interface Figures {
  fps: number;
  median: number;
  p95: number;
}

function figures(frames: readonly number[]): Figures {
  const sorted = frames.toSorted((one, other) => one - other);
  const elapsed = frames.reduce((sum, frame) => sum + frame, 0);
  return {
    fps: (frames.length / elapsed) * 1_000,
    median: median([...frames]),
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
  };
}

async function measure(page: Page, url: string, side: Side): Promise<Record<Kind, Figures>> {
  await page.goto(url);
  await page.waitForFunction(() => "bench" in window);
  await page.evaluate(([which, lines]) => window.bench.show(which, lines), [side, lineCount] as const);
  await page.waitForFunction(
    (height) => (document.querySelector("[data-testid=log-lines]")?.scrollHeight ?? 0) > height,
    lineCount * 19,
  );
  await page.waitForTimeout(500);
  const scrolling = await page.evaluate((time) => window.bench.scroll(time), duration);
  const typing = await page.evaluate((time) => window.bench.type(time), duration);
  await page.getByPlaceholder("Filter").fill("");
  await page.waitForTimeout(500);
  const tail = await page.evaluate(([which, time, rate]) => window.bench.tail(which, time, rate), [
    side,
    duration,
    linesPerSecond,
  ] as const);
  return {
    scrolling: figures(scrolling),
    "typing in the filter": figures(typing),
    "tail of 10,000 lines/s": figures(tail),
  };
}

function asResult(kind: Kind, results: Record<Side, Record<Kind, Figures>[]>): Measurement {
  const of = (side: Side, key: keyof Figures) => median(results[side].map((run) => run[kind][key]));
  const words = (side: Side) =>
    `${of(side, "fps").toFixed(0)} fps, frame ${of(side, "median").toFixed(1)} ms (p95 ${of(side, "p95").toFixed(1)} ms)`;
  const ratio = of("ours", "median") / of("bare", "median");
  const fps = of("ours", "fps");
  return {
    name: `a log of a million lines: ${kind}`,
    ours: words("ours"),
    bare: words("bare"),
    ratio: `frames ${ratio.toFixed(2)}, p95 ${(of("ours", "p95") / of("bare", "p95")).toFixed(2)}`,
    budget: `${budgetFps} fps`,
    // When the machine is too busy even for the bare list, ours passes if it comes close to it.
    passes: fps >= budgetFps || fps >= of("bare", "fps") * 0.9,
    times: ratio,
  };
}

export async function logs(): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-logs-bench-"));
  const pageFolder = resolve(import.meta.dirname, "logs-page");
  const settings = { configFile: false, root: pageFolder, base: "./", logLevel: "error" } as const;
  await build({
    ...settings,
    plugins: [react(), tailwindcss()],
    worker: { format: "es" },
    build: { outDir: folder, target: "es2022", emptyOutDir: true },
  });
  const server = await preview({ ...settings, build: { outDir: folder }, preview: { host: "127.0.0.1", port: 0 } });
  const browser = await openBrowser();
  try {
    const url = server.resolvedUrls?.local[0];
    if (!url) throw new Error("The server for the page did not start.");
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const results: Record<Side, Record<Kind, Figures>[]> = { ours: [], bare: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const side of ["ours", "bare"] as const) results[side].push(await measure(page, url, side));
    return kinds.map((kind) => asResult(kind, results));
  } finally {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
