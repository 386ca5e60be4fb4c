/// <reference lib="dom" />
import type { Browser } from "@playwright/test";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { findPython } from "../../server/platform/python.ts";
import { openBrowser } from "../measuring/browser.ts";
import { type Measurement, size } from "../measuring/measurement.ts";
import { inTurn, openOurs } from "./run-on-screen.ts";

// Measures the time from the key press that runs a trivial node until its output is on the screen, and the same for a cell
// of JupyterLab, alternately. JupyterLab is installed from PyPI.

const name = "from Run until the output shows, beside JupyterLab";
const notMeasured = { bare: "", ratio: "", budget: "", passes: true };
const budget = 1.2;
/** This needs PyPI and JupyterLab's page: without an end it could wait for them forever. */
const patience = 240_000;
const cell = "import time\nnow = f'tick {time.time_ns()}'\nprint(now)";

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

async function compare(folder: string): Promise<Measurement[]> {
  const browsers = [await openBrowser(), await openBrowser()] as const;
  const closers: (() => Promise<unknown>)[] = browsers.map((browser) => () => browser.close());
  try {
    const ours = await openOurs(browsers[0]);
    closers.push(ours.close);
    const lab = await openJupyter(folder, browsers[1]);
    closers.push(lab.close);
    const [product, jupyterLab] = await inTurn([ours.page, "F5"], [lab.page, "Control+Enter"]);
    const ratio = product / jupyterLab;
    return [
      {
        name,
        ours: `${product.toFixed(1)} ms`,
        bare: `JupyterLab ${jupyterLab.toFixed(1)} ms`,
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

export async function jupyter(): Promise<Measurement[]> {
  // JupyterLab is large, and another benchmark measures the same without it.
  if (size === "tiny") return [{ name, ours: "left out: JupyterLab is not installed for this", ...notMeasured }];
  const folder = await mkdtemp(join(tmpdir(), "miranda-bench-jupyter-"));
  const timer = setTimeout(() => {
    process.stderr.write("JupyterLab or its page did not respond within 4 minutes. Nothing was measured.\n");
    process.exit(1);
  }, patience);
  try {
    return await compare(folder);
  } finally {
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true });
  }
}
