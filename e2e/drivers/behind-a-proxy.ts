import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { findProxy, type ProxyName } from "../../scripts/proxies.ts";

/** Where the servers and their proxy listen, all on this machine. */
export interface Ports {
  people: number;
  agents: number;
  servers: [number, number];
}

interface Proxy {
  /** The configuration that operators copy. */
  shipped: string;
  /** What the package's own main file has, where it is not for this machine's folders. */
  wrap: (shipped: string, folder: string) => string;
  args: (file: string, folder: string) => string[];
}

const proxies: Record<ProxyName, Proxy> = {
  nginx: {
    shipped: "nginx.conf",
    // Its workers must be able to write into this folder, which nobody else may open.
    wrap: (shipped, folder) => `${process.getuid?.() === 0 ? "user root;" : ""}
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path ${folder}/${one};`).join("\n  ")}
${shipped}
}
`,
    args: (file, folder) => ["-p", folder, "-c", file, "-e", "stderr", "-g", "daemon off;"],
  },
  caddy: {
    shipped: "Caddyfile",
    // Its own page for administrators and its redirects are at ports that this machine may use for something else.
    wrap: (shipped) => `{\n  admin off\n  auto_https disable_redirects\n}\n${shipped}`,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  },
  haproxy: { shipped: "haproxy.cfg", wrap: (shipped) => shipped, args: (file) => ["-db", "-f", file] },
};

/** A real proxy with the configuration that `docker/` ships and its own default buffers. Only names and ports are others. */
export async function startProxy(
  name: ProxyName,
  folder: string,
  { people, agents, servers: [one, two] }: Ports,
): Promise<{ stop: () => Promise<void> }> {
  await mkdir(folder, { recursive: true });
  const { shipped, wrap, args } = proxies[name];
  const text = await readFile(resolve(import.meta.dirname, "../../docker", shipped), "utf8");
  const here = text
    .replaceAll("10.0.0.2:4600", `127.0.0.1:${one}`)
    .replaceAll("10.0.0.3:4600", `127.0.0.1:${two}`)
    .replaceAll("10.0.0.1:4680", `127.0.0.1:${agents}`)
    .replaceAll("https://miranda.example.org {", `https://localhost:${people} {`)
    .replaceAll("server_name miranda.example.org", "server_name localhost")
    .replaceAll(/(listen |bind :)443 ssl/g, (_, word: string) => `${word.replace(":", "127.0.0.1:")}${people} ssl`)
    .replaceAll("/etc/ssl/", `${folder}/`);
  await makeCertificate(folder);
  const file = join(folder, shipped);
  await writeFile(file, wrap(here, folder));

  const child = spawn(findProxy(name) ?? name, args(file, folder), {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  await answering(child, `http://127.0.0.1:${agents}/api/runner/`, () => output);
  return {
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function makeCertificate(folder: string): Promise<void> {
  const [certificate, key] = [join(folder, "miranda.pem"), join(folder, "miranda.key")];
  const form = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  await promisify(execFile)("openssl", ["req", "-x509", ...form, "-keyout", key, "-out", certificate, ...names]);
  // HAProxy reads both from one file, and the others skip the key there.
  await writeFile(certificate, (await readFile(certificate, "utf8")) + (await readFile(key, "utf8")));
}

async function answering(child: ChildProcess, url: string, output: () => string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`The proxy ended: ${output()}`);
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    // 502 and 503: it does not know yet that the servers are there.
    if (status > 0 && status < 500) return;
    await sleep(100);
  }
  throw new Error(`The proxy does not answer: ${output()}`);
}
