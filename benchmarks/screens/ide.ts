/// <reference lib="dom" />
import type { Browser, BrowserContext } from "@playwright/test";
import { chromium } from "@playwright/test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { build } from "vite";

import { getChromium } from "../scripts/chromium.ts";
import { median } from "./measurement.ts";

// Measures the time from the start of the navigation until a typed letter is on the screen: in our IDE with a node of 300
// lines, and in a bare CodeMirror page with the same text, alternately, in one browser. Prints both medians and their
// ratio.

const rounds = 7;
const budget = 1_500;
const mark = "\u{2603}";
const root = resolve(import.meta.dirname, "..");
const code = `from miranda import Node\n\n\nclass Long(Node):\n${Array.from(
  { length: 100 },
  (_, at) => `    def step_${at}(self, value):\n        """One of many."""\n        return value * ${at}\n`,
).join("")}`;

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".py": "text/plain" };

async function startBare(folder: string): Promise<{ url: string; close: () => void }> {
  await build({
    configFile: false,
    root: join(root, "benchmarks", "bare-codemirror"),
    base: "./",
    logLevel: "error",
    build: { outDir: folder, target: "es2022" },
  });
  await writeFile(join(folder, "code.py"), code);
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" });
    return createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`, close: () => server.close() };
}

async function startProduct(folder: string) {
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

/** Registers an account with a workflow of one node, and returns the address of the node's code. */
async function prepare(context: BrowserContext, product: string): Promise<string> {
  const api = `${product}/api/v3`;
  async function call<Answer>(method: "post" | "put", path: string, data: object): Promise<Answer> {
    const answer = await context.request[method](api + path, { data });
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
  const username = `bench${Date.now()}`;
  const person = { username, email: `${username}@example.org`, first_name: "Bench", last_name: "Mark" };
  await call("post", "/auth/register", { ...person, password: "correct horse battery" });
  await call("post", "/auth/onboarding", { industry: "", role: "" });
  const project = await call<{ id: string }>("post", "/projects/", { name: "Benchmark", description: "" });
  const flow = { name: "Flow", description: "", project_id: project.id };
  const graph = await call<{ id: string }>("post", "/graphs/", flow);
  const node = await call<{ metadata_id: number }>("post", "/objects", { name: "Long", project_id: graph.id });
  await call("put", `/objects/${node.metadata_id}/api`, { source_code: code });
  return `${product}/designer/projects/${project.id}/graphs/${graph.id}/code/${node.metadata_id}`;
}

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

async function measure(browser: Browser, bare: string, product: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const address = await prepare(context, product);
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
  const passes = ours <= budget;
  process.stdout.write(
    `${passes ? "ok  " : "OVER"} Opening the IDE, until a typed letter shows: ${Math.round(ours)} ms; bare ${Math.round(baseline)} ms; ` +
      `ratio ${(ours / baseline).toFixed(2)} (budget ${budget} ms)\n`,
  );
  return passes ? 0 : 1;
}

const folder = await mkdtemp(join(tmpdir(), "miranda-bench-ide-"));
const bare = await startBare(join(folder, "bare"));
const product = await startProduct(join(folder, "data"));
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: getChromium(), args });
let status = 1;
try {
  status = await measure(browser, bare.url, product.url);
} finally {
  await browser.close();
  bare.close();
  product.child.kill("SIGTERM");
  await once(product.child, "exit");
  await rm(folder, { recursive: true, force: true });
}
process.exit(status);
