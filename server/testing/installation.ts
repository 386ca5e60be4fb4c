import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, request, type Server } from "node:http";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { gitProblem, sshProblem } from "../../scripts/git.ts";
import { dockerProblem, TestDocker } from "./services/docker.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..", "..");
const certificates = "/etc/ssl/certs/ca-certificates.crt";
// Not where the package ca-certificates writes its own file.
const certificatesThere = "/etc/machine-certificates.crt";

/** Why an installation cannot be tried here; undefined when it can. */
export function installationProblem(): string | undefined {
  const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0;
  return dockerProblem() ?? gitProblem() ?? sshProblem() ?? (hasCompose ? undefined : "they need docker compose");
}

// Tests cannot download images. These replacements are made of this machine's own Debian.
const standIns = {
  "debian:trixie-slim": [],
  stores: ["postgresql", "redis-server"],
};
const postgres = `FROM stores
RUN mkdir -p /run/postgresql && chown postgres /run/postgresql && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
COPY start /start
ENTRYPOINT ["bash", "/start"]
VOLUME /var/lib/postgresql
`;
const startPostgres = `set -e
export PGDATA=/var/lib/postgresql/data
if [ ! -s $PGDATA/PG_VERSION ]; then
  mkdir -p $PGDATA && chown -R postgres /var/lib/postgresql
  su postgres -c "initdb -U $POSTGRES_USER --pwfile=<(echo $POSTGRES_PASSWORD) --auth-host=scram-sha-256"
  echo "host all all all scram-sha-256" >> $PGDATA/pg_hba.conf
  su postgres -c "pg_ctl -w -o '-c listen_addresses=' start && createdb -U $POSTGRES_USER $POSTGRES_DB && pg_ctl -w stop"
fi
exec su postgres -c "exec postgres -c listen_addresses='*'"
`;
const redis = `FROM stores
ENTRYPOINT ["sh", "-c", "exec \\"$@\\" --protected-mode no", "sh"]
CMD ["redis-server"]
`;

/** Miranda installed by its own Dockerfiles and compose.yaml or stack.yaml, on the test's own Docker Engine. */
export class TestInstallation {
  readonly docker: TestDocker;
  readonly #proxy: Server;
  readonly #environment: Record<string, string>;
  #addressServer: ChildProcess | undefined;

  private constructor(docker: TestDocker, proxy: Server, environment: Record<string, string>) {
    this.docker = docker;
    this.#proxy = proxy;
    this.#environment = environment;
  }

  static async open(): Promise<TestInstallation> {
    const docker = await TestDocker.start();
    const socket = docker.host.slice("unix://".length);
    const made = new TestInstallation(docker, await openProxy(docker.lan.hostAddress), {
      DOCKER_HOST: docker.host,
      DOCKER_SOCKET: socket,
      DOCKER_GROUP: String((await stat(socket)).gid),
      MIRANDA_LISTEN: "127.0.0.1:4600",
      POSTGRES_PASSWORD: "tides",
      MIRANDA_SECRET_KEY: "a key that nobody may see",
    });
    await made.#importStandIns();
    return made;
  }

  /** The Docker client, as an operator would use it. */
  async cli(args: string[], environment: Record<string, string> = {}): Promise<string> {
    const env = { ...process.env, ...this.#environment, ...environment };
    const { stdout } = await run("docker", args, { cwd: root, env, maxBuffer: 64 << 20 });
    return stdout.trim();
  }

  compose(...args: string[]): Promise<string> {
    return this.cli(["compose", "-f", "docker/compose.yaml", ...args]);
  }

  /** Builds both images. Packages come through this machine: containers here have no network access. */
  async build(): Promise<void> {
    const { port, address } = this.#proxy.address() as AddressInfo;
    const proxies = ["http_proxy", "HTTPS_PROXY"].flatMap((name) => [
      "--build-arg",
      `${name}=http://${address}:${port}`,
    ]);
    await this.compose("--progress", "plain", "build", ...proxies);
  }

  /** Forwards a port on the installation's 127.0.0.1 to the test. */
  async reach(port: number): Promise<string> {
    const { name, address } = this.docker.namespace;
    const code = `const { createServer, connect } = require("net");
      createServer((one) => {
        const other = connect(${port}, "127.0.0.1");
        for (const [from, to] of [[one, other], [other, one]]) from.on("error", () => to.destroy()).pipe(to);
      }).listen(${port + 1}, "${address}", () => console.log("open"));`;
    this.#addressServer = spawn("nsenter", [`--net=/run/netns/${name}`, "--", process.execPath, "-e", code]);
    await new Promise((resolve) => this.#addressServer?.stdout?.once("data", resolve));
    return `http://${address}:${port + 1}`;
  }

  async #importStandIns(): Promise<void> {
    const { stdout: registry } = await run("npm", ["config", "get", "registry"], { cwd: root });
    const changes = [`ENV NODE_EXTRA_CA_CERTS=${certificatesThere}`, `ENV npm_config_registry=${registry.trim()}`];
    for (const [name, packages] of Object.entries(standIns))
      await this.cli(["import", ...changes.flatMap((one) => ["--change", one]), await makeFiles(name, packages), name]);
    const folder = await mkdtemp(join(tmpdir(), "miranda-stand-ins-"));
    await writeFile(join(folder, "start"), startPostgres);
    for (const [name, dockerfile] of Object.entries({ "postgres:18": postgres, "redis:8": redis })) {
      await writeFile(join(folder, "Dockerfile"), dockerfile);
      await this.cli(["build", "-q", "-t", name, folder]);
    }
    await rm(folder, { recursive: true });
  }

  async close(): Promise<void> {
    this.#addressServer?.kill();
    this.#proxy.close();
    this.#proxy.closeAllConnections();
    await this.docker.close();
  }
}

/** The files of an image, made once and cached, with the certificates that this machine trusts. */
async function makeFiles(name: string, packages: string[]): Promise<string> {
  const cache = join(tmpdir(), "miranda-test-cache");
  const release = /^VERSION_CODENAME=(.*)$/m.exec(await readFile("/etc/os-release", "utf8"))?.[1] ?? "stable";
  const content = createHash("sha256").update([certificatesThere, ...packages].join());
  const file = join(cache, `${release}-${name.replace(":", "-")}-${content.digest("hex").slice(0, 12)}.tar`);
  if (existsSync(file)) return file;
  await mkdir(cache, { recursive: true });
  const making = join(cache, `${process.pid}.tar`);
  const include = packages.length > 0 ? [`--include=${packages.join(",")}`] : [];
  const trust = `--customize-hook=cp ${certificates} "$1${certificatesThere}"`;
  const drop = '--customize-hook=rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*';
  await run("mmdebstrap", ["--variant=minbase", ...include, trust, drop, release, making]);
  await rename(making, file);
  return file;
}

/** Lets containers reach what this machine reaches. */
async function openProxy(host: string): Promise<Server> {
  const proxy = createServer((asked, answer) => {
    const { method, headers, url = "" } = asked;
    const there = request(url, { method, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    asked.pipe(there.on("error", () => answer.destroy()));
  });
  proxy.on("connect", ({ url = "" }, socket) => {
    const [name = "", port = "443"] = url.split(":");
    const there = connect(Number(port), name, () => void socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    there.on("error", () => socket.destroy()).pipe(socket);
    socket.on("error", () => there.destroy()).pipe(there);
  });
  await new Promise<void>((resolve) => proxy.listen(0, host, resolve));
  return proxy;
}
