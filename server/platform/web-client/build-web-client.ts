import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { filesIn, fingerprintOf } from "../../bundle/fingerprint.ts";
import { safely } from "../errors/safely.ts";
import { StartupError } from "../errors/startup-error.ts";

const folders = ["web", "contract", "docs/handbook"];
const single = [
  "vite.config.ts",
  "package-lock.json",
  "server/platform/web-client/icon-imports.ts",
  "server/platform/web-client/screen-chunks.ts",
];

/** Builds the client when its sources changed since the last build. An installation without sources ships it built. */
export async function buildWebClient(root: string, folder: string, announce: (line: string) => void): Promise<void> {
  const stampFile = join(folder, ".stamp");
  if (!existsSync(join(root, "web", "index.html"))) {
    if (existsSync(join(folder, "index.html"))) return;
    throw new StartupError(`The web client is neither built nor here to be built (${folder}).`);
  }
  const stamp = fingerprint(root);
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

function fingerprint(root: string): string {
  const files = folders
    .flatMap((folder) => filesIn(join(root, folder)))
    .filter((file) => !file.endsWith(".test.ts") && !file.includes("node_modules"));
  return fingerprintOf(root, [...files, ...single.map((file) => join(root, file))], join(root, "dist", "web-sources"));
}

/**
 * In a process of its own, so that the bundler's memory is freed. Always the client for users: whoever sets NODE_ENV for
 * the server, as tests do, would otherwise get React's slower one, which mounts every screen twice.
 */
function runBuild(root: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const vite = join(root, "node_modules", "vite", "bin", "vite.js");
    const child = spawn(process.execPath, [vite, "build", "--logLevel", "error"], {
      cwd: root,
      env: { ...process.env, NODE_ENV: "production" },
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
