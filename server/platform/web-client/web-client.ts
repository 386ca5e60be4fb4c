import fastifyStatic from "@fastify/static";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { AppError } from "../errors/app-error.ts";
import type { Http } from "../http/http-server.ts";
import { isNotModified, tagOf } from "../http/not-modified.ts";
import { readLargePages } from "./page-preloads.ts";
import { allowFrames } from "../http/security.ts";
import { StartupError } from "../errors/startup-error.ts";
import { safely } from "../errors/safely.ts";

const pages = /^\/(?:login|register|onboarding|designer|explorer|embed|account|docs)?(?:\/.*)?$/;
const assets = /^\/designer\/(?:assets\/|[^/]+\.[a-z0-9]+$)/;

interface WebClient {
  folder: string;
  /** The origins whose pages may show this address in a frame. */
  framedBy: (path: string) => Promise<readonly string[]>;
}

/** Serves the built client: its files below /designer/, its one page at every address that is a screen. */
export async function installWebClient(app: Http, { folder, framedBy }: WebClient): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: "/designer/",
    wildcard: false,
    index: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      // The names in assets/ carry a hash of their content.
      response.header("cache-control", path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  const largePages = (await readLargePages(folder)).map((one) => ({ ...one, tag: tagOf([one.page.toString()]) }));
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isPage = (pages.test(path) || isVisited(path, request.headers.accept)) && !assets.test(path);
    if (!isRead || !isPage) throw new AppError("not_found");
    const large = largePages.find((one) => one.path.test(path));
    if (large) {
      // Where no route is found, the answer is a 404 unless it says otherwise.
      reply.code(200);
      if (isNotModified(request, reply, large.tag)) return reply.send();
      return reply.type("text/html; charset=utf-8").send(large.page);
    }
    if (path.startsWith("/embed/")) allowFrames(reply, await framedBy(path));
    return reply.header("cache-control", "no-cache").sendFile("index.html");
  });
}

/** A browser opens an unknown address: send the page, which asks to sign in or says that there is nothing here. */
function isVisited(path: string, accept: string | undefined): boolean {
  return accept?.includes("text/html") === true && !/^\/(?:api|ws|healthz)(?:\/|$)|\.[^/]*$/.test(path);
}

const sources = ["web", "contract", "docs/handbook", "vite.config.ts", "package-lock.json"];

/** Builds the client when its sources changed since the last build. An installation without sources ships it built. */
export async function buildWebClient(root: string, folder: string, announce: (line: string) => void): Promise<void> {
  const stampFile = join(folder, ".stamp");
  if (!existsSync(join(root, "web", "index.html"))) {
    if (existsSync(join(folder, "index.html"))) return;
    throw new StartupError(`The web client is neither built nor here to be built (${folder}).`);
  }
  const stamp = await fingerprint(root);
  if ((await readFile(stampFile, "utf8").catch(() => "")) === stamp) return;
  announce("Building the web client …");
  await runBuild(root);
  await compressAssets(join(folder, "assets"));
  await writeFile(stampFile, stamp);
}

/** Once per build instead of once per visitor. */
async function compressAssets(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const path = join(folder, name);
    await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
  }
}

async function fingerprint(root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const source of sources) {
    const path = join(root, source);
    const entries = (await stat(path)).isDirectory()
      ? (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      : [];
    const files = entries.length > 0 ? entries.map((entry) => join(entry.parentPath, entry.name)) : [path];
    for (const file of files.sort()) {
      if (file.endsWith(".test.ts") || file.includes("node_modules")) continue;
      hash.update(file.slice(root.length)).update(await readFile(file));
    }
  }
  return hash.digest("hex");
}

/** In a process of its own, so that the bundler's memory is freed. */
function runBuild(root: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const vite = join(root, "node_modules", "vite", "bin", "vite.js");
    const child = spawn(process.execPath, [vite, "build", "--logLevel", "error"], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on(
      "data",
      safely((chunk) => (output += chunk)),
    );
    child.stderr.on(
      "data",
      safely((chunk) => (output += chunk)),
    );
    child.once("error", reject);
    child.once(
      "close",
      safely((code) =>
        code === 0
          ? resolve()
          : reject(new StartupError(`The web client could not be built: ${output.trim().slice(0, 2000)}`)),
      ),
    );
  });
}
