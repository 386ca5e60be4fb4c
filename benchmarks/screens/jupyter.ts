/// <reference lib="dom" />
import type { Browser, Page } from "@playwright/test";
import { chromium } from "@playwright/test";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { getChromium } from "../scripts/chromium.ts";
import { buildWebClient } from "../server/platform/web-client/build-web-client.ts";
import { findPython } from "../server/platform/python.ts";
import { median } from "./measurement.ts";
import { openProduct } from "./product.ts";

// Measures the time from the key press that runs a trivial node until its output is on the screen, and the same for a cell
// of JupyterLab, alternately. Each has its own browser; otherwise the measurement would include switching tabs. JupyterLab
// is installed from PyPI. Prints both medians and their ratio.

const rounds = 25;
const budget = 1.5;

const node = `import time
from miranda import *

class Tick(Node):
    cache = False
    def run(self):
        self.show(f"tick {time.time_ns()}")
`;
const cell = "import time\nnow = f'tick {time.time_ns()}'\nprint(now)";

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

async function time(page: Page, key: string): Promise<number> {
  const reported = page.evaluate(() => new Promise<number>((resolve) => ((globalThis as Timed).report = resolve)));
  await page.keyboard.press(key);
  return reported;
}

async function openJupyter(folder: string, browser: Browser) {
  const python = await findPython();
  if (!python) throw new Error("no Python");
  const home = join(folder, "jupyter");
  const notebooks = join(folder, "notebooks");
  await mkdir(notebooks, { recursive: true });
  execFileSync(python.executable, ["-m", "venv", home]);
  const install = ["install", "--quiet", "--disable-pip-version-check", "jupyterlab"];
  execFileSync(join(home, "bin", "pip"), install, { stdio: ["ignore", "ignore", "inherit"] });
  const cells = [{ cell_type: "code", execution_count: null, metadata: {}, outputs: [], source: cell, id: "tick" }];
  const kernel = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  const notebook = { cells, metadata: kernel, nbformat: 4, nbformat_minor: 5 };
  await writeFile(join(notebooks, "tick.ipynb"), JSON.stringify(notebook));
  const options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", "--IdentityProvider.token="];
  const child = spawn(join(home, "bin", "jupyter-lab"), [...options, `--ServerApp.root_dir=${notebooks}`], {
    env: { ...process.env, HOME: folder, JUPYTER_PREFER_ENV_PATH: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await addressOf(child.stderr);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/lab/tree/tick.ipynb`);
  await page.locator(".jp-Notebook .jp-Cell .cm-content").first().click({ timeout: 120_000 });
  await page.getByText("| Idle").first().waitFor({ timeout: 120_000 });
  return {
    page,
    async close() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** The address that JupyterLab prints. Reads its output to the end, because JupyterLab blocks when nobody reads it. */
function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    output.on("data", (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-100_000);
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (found) resolve(found);
    });
    output.on("end", () => reject(new Error(`JupyterLab did not start: ${text}`)));
  });
}

async function openOurs(browser: Browser) {
  // Build the client that people get: a test server would serve whatever was built last.
  const root = join(import.meta.dirname, "..");
  await buildWebClient(root, join(root, "dist", "web"), () => undefined);
  const product = await openProduct();
  const { bench, url } = product;
  // Until this is done, every page redirects to the onboarding questions.
  await bench.owner.post("/api/v3/auth/onboarding", { industry: "", role: "" });
  await bench.node(node, "Tick");
  await bench.start();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const cookies = [...bench.owner.cookies].map(([name, value]) => ({ name, value, url }));
  await page.context().addCookies(cookies);
  await page.goto(`${url}/designer/projects/${bench.projectId}/graphs/${bench.graphId}`);
  await page.getByText("Tick").first().waitFor();
  await page.keyboard.press("F5");
  await page
    .getByText(/tick \d+/)
    .first()
    .waitFor();
  return { page, close: () => product.close() };
}

// This benchmark needs PyPI and JupyterLab's page. Without a time limit it could wait for them forever.
setTimeout(() => {
  process.stderr.write("JupyterLab or its page did not respond within 4 minutes. Nothing was measured.\n");
  process.exit(1);
}, 240_000).unref();
const folder = await mkdtemp(join(tmpdir(), "miranda-bench-jupyter-"));
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const openBrowser = () => chromium.launch({ executablePath: getChromium(), args });
const browsers = [await openBrowser(), await openBrowser()] as const;
const closers: (() => Promise<unknown>)[] = browsers.map((browser) => () => browser.close());
let status = 1;
try {
  const ours = await openOurs(browsers[0]);
  closers.push(ours.close);
  const jupyter = await openJupyter(folder, browsers[1]);
  closers.push(jupyter.close);
  await watchTicks(ours.page);
  await watchTicks(jupyter.page);
  const times: Record<"ours" | "bare", number[]> = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.ours.push(await time(ours.page, "F5"));
    await sleep(300);
    times.bare.push(await time(jupyter.page, "Control+Enter"));
    await sleep(300);
  }
  const [product, jupyterLab] = [median(times.ours), median(times.bare)];
  const passes = product / jupyterLab <= budget;
  status = passes ? 0 : 1;
  process.stdout.write(
    `${passes ? "ok  " : "OVER"} From Run until the output shows: ${product.toFixed(1)} ms; JupyterLab ${jupyterLab.toFixed(1)} ms; ` +
      `ratio ${(product / jupyterLab).toFixed(2)} (budget ${budget} x)\n`,
  );
} finally {
  for (const close of closers) await close();
  await rm(folder, { recursive: true, force: true });
}
process.exit(status);
