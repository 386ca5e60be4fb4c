import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type Docker from "dockerode";

import { findProgram } from "../../scripts/debian.ts";
import { dockerProblem } from "../../scripts/docker.ts";
import { answers, connectDocker } from "../engines/docker-client.ts";
import { descendantsOf, signal } from "../engines/processes.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..", "..");
const packages = ["python3-minimal", "libpython3-stdlib", "dash", "coreutils", "findutils", "procps"];

export const processorImage = "miranda-processor";
export { dockerProblem };

/** A network of its own with a cable to this machine: what Docker does to networks, it does there. */
class Namespace {
  readonly name = `mir${randomBytes(4).toString("hex")}`;
  readonly #prefix = `10.${randomInt(128, 250)}.${randomInt(0, 250)}`;
  /** This machine as seen from there, and that end as seen from here. */
  readonly hostAddress = `${this.#prefix}.1`;
  readonly address = `${this.#prefix}.2`;

  async open(): Promise<this> {
    const [ours, theirs] = [`${this.name}a`, `${this.name}b`];
    for (const line of [
      `netns add ${this.name}`,
      `link add ${ours} type veth peer name ${theirs}`,
      `link set ${theirs} netns ${this.name}`,
      `addr add ${this.hostAddress}/24 dev ${ours}`,
      `link set ${ours} up`,
      `-n ${this.name} addr add ${this.address}/24 dev ${theirs}`,
      `-n ${this.name} link set ${theirs} up`,
      `-n ${this.name} link set lo up`,
      `-n ${this.name} route add default via ${this.hostAddress}`,
    ])
      await run("ip", line.split(" "));
    return this;
  }

  async close(): Promise<void> {
    await run("ip", ["link", "delete", `${this.name}a`]).catch(() => undefined);
    await run("ip", ["netns", "delete", this.name]).catch(() => undefined);
  }
}

/** A Docker Engine of the test's own, with everything it keeps in a folder and a network of its own. */
export class TestDocker {
  readonly folder: string;
  readonly host: string;
  readonly namespace: Namespace;
  readonly #options: string[];
  #containerd: ChildProcess | undefined;
  #process: ChildProcess | undefined;
  client!: Docker;

  private constructor(folder: string, namespace: Namespace, options: string[]) {
    this.folder = folder;
    this.host = `unix://${join(folder, "socket")}`;
    this.namespace = namespace;
    this.#options = options;
  }

  static async start(...options: string[]): Promise<TestDocker> {
    const folder = await mkdtemp(join(tmpdir(), "miranda-docker-"));
    const docker = new TestDocker(folder, await new Namespace().open(), options);
    docker.client = await connectDocker(docker.host);
    await docker.#startContainerd();
    await docker.resume();
    return docker;
  }

  /** As its own service, as systemd has it: the daemon may be killed without it. */
  async #startContainerd(): Promise<void> {
    const place = (name: string) => join(this.folder, "containerd", name);
    await mkdir(join(this.folder, "containerd"));
    await writeFile(place("config.toml"), 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n');
    const args = [
      "--config",
      place("config.toml"),
      "--address",
      place("socket"),
      "--root",
      place("root"),
      "--state",
      place("state"),
    ];
    this.#containerd = await spawnQuietly(findProgram("containerd") ?? "containerd", args, place("log"));
    while (!existsSync(place("socket"))) await sleep(20);
  }

  /** Starts it, or starts it again on what it left behind. */
  async resume(): Promise<void> {
    const places = ["data-root=data", "exec-root=exec", "pidfile=pid", "containerd=containerd/socket"].map(
      (one) => `--${one.replace("=", `=${this.folder}/`)}`,
    );
    // Only its network: in another mount namespace it would not find again what it had mounted before.
    const enter = [`--net=/run/netns/${this.namespace.name}`, "--", findProgram("dockerd") ?? "dockerd"];
    const args = [...enter, ...places, `--host=${this.host}`, ...this.#options];
    this.#process = await spawnQuietly("nsenter", args, join(this.folder, "log"));
    for (let tries = 0; !(await answers(this.client)); tries++) {
      if (this.#process.exitCode !== null || tries > 300)
        throw new Error(`dockerd did not start: ${(await readFile(join(this.folder, "log"), "utf8")).slice(-2_000)}`);
      await sleep(100);
    }
  }

  async halt(signal: NodeJS.Signals): Promise<void> {
    await end(this.#process, signal);
  }

  async close(): Promise<void> {
    for (const { Id } of await this.client.listContainers({ all: true }).catch(() => []))
      await this.client
        .getContainer(Id)
        .remove({ force: true, v: true })
        .catch(() => undefined);
    await this.halt("SIGTERM");
    await end(this.#containerd, "SIGTERM");
    await this.namespace.close();
    await sweep(this.folder);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The processor image by its own Dockerfile, on a base of Debian packages that is made once and kept. */
  async buildProcessorImage(): Promise<void> {
    const base = await makeBase();
    await finished(this.client, await this.client.importImage(createReadStream(base), { repo: "base" }));
    const files = ["__main__.py", "miranda", "miranda_agent"];
    const dockerfile = await readFile(join(root, "docker", "processor.Dockerfile"));
    const folder = await mkdtemp(join(tmpdir(), "miranda-image-"));
    await run("cp", ["-r", ...files.map((file) => join(root, "runtime", file)), folder]);
    await writeFile(join(folder, "Dockerfile"), dockerfile);
    const options = { t: processorImage, buildargs: { BASE: "base" }, networkmode: "none" };
    const stream = await this.client.buildImage({ context: folder, src: ["Dockerfile", ...files] }, options);
    await finished(this.client, stream);
    await rm(folder, { recursive: true });
  }
}

async function spawnQuietly(program: string, args: string[], logFile: string): Promise<ChildProcess> {
  const log = await open(logFile, "a");
  const child = spawn(program, args, { stdio: ["ignore", log.fd, log.fd] });
  await log.close();
  return child;
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

/** Ends and unmounts what a daemon that was killed has left behind. */
async function sweep(folder: string): Promise<void> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const name of names) {
    const command = await readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "");
    if (!command.includes("containerd-shim") || !command.includes(`${folder}/`)) continue;
    for (const { pid } of await descendantsOf(Number(name))) signal(pid, "SIGKILL");
    signal(Number(name), "SIGKILL");
  }
  const mounts = (await readFile("/proc/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "");
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).toReversed())
    await run("umount", ["-l", mount]).catch(() => undefined);
}

async function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
  await new Promise<void>((done, failed) => {
    docker.modem.followProgress(stream, (error) => (error ? failed(error) : done()));
  });
}

/** Python from the machine's own Debian, as the files of an image. */
async function makeBase(): Promise<string> {
  const cache = join(tmpdir(), "miranda-test-cache");
  const os = await readFile("/etc/os-release", "utf8");
  const release = /^VERSION_CODENAME=(.*)$/m.exec(os)?.[1] ?? "stable";
  const name = createHash("sha256")
    .update([release, ...packages].join())
    .digest("hex")
    .slice(0, 12);
  const file = join(cache, `base-${name}.tar`);
  if (existsSync(file)) return file;
  await mkdir(cache, { recursive: true });
  const making = join(cache, `${process.pid}.tar`);
  await run("mmdebstrap", ["--variant=extract", `--include=${packages.join(",")}`, release, making]);
  await rename(making, file);
  return file;
}
