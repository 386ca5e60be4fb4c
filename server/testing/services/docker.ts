import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type Docker from "dockerode";

import { findProgram } from "../../../scripts/debian.ts";
import { dockerProblem } from "../../../scripts/docker.ts";
import { answers, connectDocker } from "../../engines/docker-client.ts";
import { descendantsOf } from "../../engines/processes.ts";
import { signal } from "./signal.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..", "..", "..");
const packages = [
  ...["python3-minimal", "libpython3-stdlib", "dash", "coreutils", "findutils", "procps"],
  ...["git", "openssh-client"],
];
// Unused here, and every Docker Engine of the tests would have to load it.
const dropped = [
  ...["share/doc", "share/man", "share/locale", "lib/*/gconv"],
  ...["bin/perl*", "share/perl*", "lib/*/perl*", "lib/*/libperl*"],
];

// No registry has this image, and that is known at once: a Swarm checks every image for a newer version.
export const processorImage = "127.0.0.1:1/miranda-processor";
export { dockerProblem };

/** A network switch for this machine and the tests' machines, outside this machine's firewall rules. */
class Switch {
  readonly name = `mir${randomBytes(4).toString("hex")}`;
  readonly #prefix = `10.${randomInt(128, 250)}.${randomInt(0, 250)}`;
  /** This machine as seen from there. */
  readonly hostAddress = `${this.#prefix}.1`;
  #plugged = 0;

  async open(): Promise<this> {
    const { name } = this;
    await ip(`netns add ${name}`);
    await ip(`-n ${name} link add switch type bridge`);
    await ip(`-n ${name} link set switch up`);
    await ip(`link add ${name} type veth peer name host netns ${name}`);
    await ip(`-n ${name} link set host master switch up`);
    await ip(`addr add ${this.hostAddress}/24 dev ${name}`);
    await ip(`link set ${name} up`);
    return this;
  }

  async plug(): Promise<Namespace> {
    const at = ++this.#plugged;
    const namespace = { name: `${this.name}n${at}`, cable: `cable${at}`, address: `${this.#prefix}.${at + 1}` };
    const { name, cable, address } = namespace;
    await ip(`netns add ${name}`);
    await ip(`-n ${this.name} link add ${cable} type veth peer name eth0 netns ${name}`);
    await ip(`-n ${this.name} link set ${cable} master switch up`);
    await ip(`-n ${name} addr add ${address}/24 dev eth0`);
    await ip(`-n ${name} link set eth0 up`);
    await ip(`-n ${name} link set lo up`);
    await ip(`-n ${name} route add default via ${this.hostAddress}`);
    return namespace;
  }

  unplug({ cable }: Namespace): Promise<void> {
    return ip(`-n ${this.name} link set ${cable} down`);
  }

  async close(): Promise<void> {
    await ip(`link delete ${this.name}`).catch(() => undefined);
    await ip(`netns delete ${this.name}`).catch(() => undefined);
  }
}

/** A network namespace with a cable to the switch: Docker changes networks only in there. */
interface Namespace {
  name: string;
  cable: string;
  address: string;
}

async function ip(line: string): Promise<void> {
  await run("ip", line.split(" "));
}

/** A Docker Engine of the test's own, with its own folder and network. */
export class TestDocker {
  readonly folder: string;
  readonly host: string;
  readonly lan: Switch;
  readonly namespace: Namespace;
  readonly #isFirst: boolean;
  readonly #options: string[];
  #containerd: ChildProcess | undefined;
  #process: ChildProcess | undefined;
  client!: Docker;

  private constructor(folder: string, lan: Switch, namespace: Namespace, options: string[], isFirst: boolean) {
    this.folder = folder;
    this.host = `unix://${join(folder, "socket")}`;
    this.lan = lan;
    this.namespace = namespace;
    this.#isFirst = isFirst;
    this.#options = options;
  }

  /** On a switch of its own, or beside another one. */
  static async start(options: string[] = [], beside?: TestDocker): Promise<TestDocker> {
    const folder = await mkdtemp(join(tmpdir(), "miranda-docker-"));
    const lan = beside?.lan ?? (await new Switch().open());
    const docker = new TestDocker(folder, lan, await lan.plug(), options, beside === undefined);
    docker.client = await connectDocker(docker.host, 120_000);
    await docker.#startContainerd();
    await docker.resume();
    return docker;
  }

  /** A separate service, as under systemd: it survives when the daemon is killed. */
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
    // Only the network namespace: in another mount namespace it would not find its earlier mounts.
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

  /** Accepts calls and answers none. */
  async whileFrozen(work: () => Promise<void>): Promise<void> {
    this.#process?.kill("SIGSTOP");
    await work().finally(() => this.#process?.kill("SIGCONT"));
  }

  /** Unplugs its cable: for everybody else the machine is gone. */
  async unplug(): Promise<void> {
    await this.lan.unplug(this.namespace);
  }

  async close(): Promise<void> {
    for (const { Id } of await this.client.listContainers({ all: true }).catch(() => []))
      await this.client
        .getContainer(Id)
        .remove({ force: true, v: true })
        .catch(() => undefined);
    await this.halt("SIGTERM");
    await end(this.#containerd, "SIGTERM");
    await ip(`netns delete ${this.namespace.name}`).catch(() => undefined);
    if (this.#isFirst) await this.lan.close();
    await sweep(this.folder);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /**
   * Its machines are missed after three periods. A manager that was restarted waits six for them, and a machine tries to
   * reach it again every 8 s at the latest: with a shorter period the Swarm could end its tasks before that.
   */
  async startSwarm(): Promise<void> {
    const { address } = this.namespace;
    const Spec = { Dispatcher: { HeartbeatPeriod: 3_000_000_000 } };
    await this.client.swarmInit({ ListenAddr: `${address}:2377`, AdvertiseAddr: address, Spec });
  }

  /** The processor image by its own Dockerfile, on a base of Debian packages that is made once and kept. */
  async buildProcessorImage(): Promise<void> {
    const base = await makeBase();
    await finished(this.client, await this.client.importImage(createReadStream(base), { repo: "base" }));
    const files = ["__main__.py", "miranda", "miranda_agent"];
    const dockerfile = await readFile(join(root, "docker", "processor.Dockerfile"));
    const sources = files.map((file) => join(root, "runtime", file));
    await this.#build(processorImage, dockerfile, sources, { BASE: "base", PACKAGES: "" });
  }

  /** A custom image, made from another. */
  async extendImage({ from, to }: { from: string; to: string }, lines: string[], sources: string[]): Promise<void> {
    await this.#build(to, [`FROM ${from}`, ...lines, ""].join("\n"), sources);
  }

  async #build(t: string, dockerfile: string | Buffer, sources: string[], buildargs = {}): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "miranda-image-"));
    await run("cp", ["-r", ...sources, folder]);
    await writeFile(join(folder, "Dockerfile"), dockerfile);
    const src = ["Dockerfile", ...sources.map((source) => basename(source))];
    const stream = await this.client.buildImage({ context: folder, src }, { t, buildargs, networkmode: "none" });
    await finished(this.client, stream);
    await rm(folder, { recursive: true });
  }
}

/** Settings of a server that containers reach: known before it starts, and the same after a kill. */
export async function reachable({ lan: { hostAddress: HOST } }: TestDocker): Promise<Record<string, string>> {
  const port = await freePort(HOST);
  return { HOST, PORT: String(port), MIRANDA_RUNNER_URL: `http://${HOST}:${port}` };
}

export async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
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

/** Ends and unmounts what a killed daemon has left behind. */
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

export async function finished(docker: Docker, stream: NodeJS.ReadableStream): Promise<void> {
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
    .update([release, ...packages, ...dropped].join())
    .digest("hex")
    .slice(0, 12);
  const file = join(cache, `base-${name}.tar`);
  if (existsSync(file)) return file;
  await mkdir(cache, { recursive: true });
  const making = join(cache, `${process.pid}.tar`);
  const folder = join(cache, `${process.pid}`);
  await run("mmdebstrap", ["--variant=extract", `--include=${packages.join(",")}`, release, folder]);
  const excluded = dropped.map((path) => `--exclude=./usr/${path}`);
  await run("tar", ["-C", folder, "--exclude=./dev/*", ...excluded, "-cf", making, "."]);
  await rm(folder, { recursive: true });
  await rename(making, file);
  return file;
}
