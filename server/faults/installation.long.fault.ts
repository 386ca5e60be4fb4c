import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { installationProblem, TestInstallation } from "../testing/installation.ts";
import { pullAndPush } from "../testing/services/git-in-containers.ts";
import { askAbout } from "../testing/language-help.ts";
import { SharedCode } from "../testing/shared-code.ts";
import { connect } from "../testing/test-socket.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { openWorkbench } from "./fault-bench.ts";

// Runs the commands of docs/operations.md: the images, compose.yaml on one machine, stack.yaml on a Swarm.

const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);

const problem = installationProblem();
const reason = problem === undefined ? "" : `, not tried here: ${problem}`;

describe.skipIf(problem !== undefined)(`an installation${reason}`, { timeout: 600_000 }, () => {
  let installation: TestInstallation;
  beforeAll(async () => {
    installation = await TestInstallation.open();
    await installation.build();
  }, 900_000);
  afterAll(() => installation.close());

  const sizeOf = async (image: string): Promise<number> =>
    (await installation.docker.client.getImage(image).inspect()).Size / 1e6;

  /** The addresses of a container on each of its networks. */
  async function addressesOf(name: string): Promise<string[]> {
    const { NetworkSettings } = await installation.docker.client.getContainer(name).inspect();
    return Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress);
  }

  async function answering(url: string): Promise<void> {
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  }

  /** A processor that listens, and its addresses. */
  async function listening(url: string): Promise<{ bench: Workbench; address: string }> {
    const bench = await openWorkbench({ url });
    await bench.node(
      script(
        "import socket, time",
        "door = socket.create_server(('', 5000))",
        "print(socket.gethostbyname(socket.gethostname()))",
        "for n in range(3000): time.sleep(0.1)",
      ),
    );
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await expect.poll(async () => (await texts(bench)).length, { timeout: 10_000 }).toBe(1);
    const [address = ""] = await texts(bench);
    return { bench, address };
  }

  /** Which of these addresses a node of another processor can reach. */
  async function reachedFrom(url: string, addresses: string[]): Promise<string[]> {
    const bench = await openWorkbench({ url });
    await bench.node(
      script(
        "import socket",
        `for address in ${JSON.stringify(addresses)}:`,
        "    host, port = address.split(':')",
        "    try: socket.create_connection((host, int(port)), 2)",
        "    except OSError: continue",
        "    print(address)",
        "print('done')",
      ),
    );
    await bench.start();
    await bench.run();
    const printed = await texts(bench);
    expect(printed.at(-1)).toBe("done");
    await bench.until("stop", "", "EXITED");
    bench.close();
    return printed.slice(0, -1);
  }

  it("has small images in which nobody can become root", async () => {
    // Debian alone is 80 MB. Git with its perl is half of what a processor adds.
    const base = await sizeOf("debian:trixie-slim");
    expect((await sizeOf("miranda-server")) - base).toBeLessThan(280);
    expect((await sizeOf("miranda-processor")) - base).toBeLessThan(140);
    for (const image of ["miranda-server", "miranda-processor"]) {
      const search = ["--entrypoint", "find", image, "/", "-xdev", "-perm", "/6000", "-type", "f"];
      expect(await installation.cli(["run", "--rm", "--network", "none", "--user", "0", ...search])).toBe("");
    }
  });

  it("runs with compose.yaml, where processors reach neither the server, its databases nor each other", async () => {
    await installation.compose("up", "-d", "--no-build");
    const url = await installation.reach(4600);
    await answering(url);
    expect(await (await fetch(`${url}/login`)).text()).toContain("/designer/assets/");

    const { bench, address } = await listening(url);
    const [server = "", postgres = "", redis = ""] = await Promise.all(
      ["server", "postgres", "redis"].map((name) => installation.compose("ps", "-q", name)),
    );
    const { Gateway } = Object.values(
      (await installation.docker.client.getContainer(`miranda-${bench.jobId}`).inspect()).NetworkSettings.Networks,
    )[0] ?? { Gateway: "" };
    const closed = [
      `${address}:5000`,
      `${Gateway}:4600`,
      ...(await addressesOf(server)).map((one) => `${one}:4600`),
      ...(await addressesOf(postgres)).map((one) => `${one}:5432`),
      ...(await addressesOf(redis)).map((one) => `${one}:6379`),
      `${installation.docker.namespace.address}:4600`,
    ];
    expect(await reachedFrom(url, closed)).toEqual([]);
    expect(closed).toHaveLength(7);

    await installation.compose("restart", "server");
    await answering(url);
    expect((await bench.job()).workflow_state).toBe("RUNNING");
    await bench.send("stop");
    await expect.poll(async () => (await bench.job()).workflow_state, { timeout: 30_000 }).toBe("EXITED");
    const processors = { all: true, filters: { label: ["miranda.job"] } };
    const left = async () => (await installation.docker.client.listContainers(processors)).length;
    await expect.poll(left, { timeout: 20_000 }).toBe(0);
    bench.close();
    await usesItsPackages(url);
    const processor = { from: "miranda-processor", to: "miranda-processor" };
    expect(await pullAndPush(installation.docker, processor, () => openWorkbench({ url }))).toContain("four");
    await installation.compose("down", "-v");
  });

  /** Packages that are imported on first use: pictures, formatting, language help. */
  async function usesItsPackages(url: string): Promise<void> {
    const bench = await openWorkbench({ url });
    const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: "#0a7" } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.set("avatar", new File([new Uint8Array(picture)], "me.png", { type: "image/png" }));
    expect((await bench.owner.send("PUT", "/api/v3/auth/avatar", form)).status).toBe(200);
    const node = await bench.node("from miranda import Node\n\nclass Wide( Node ):\n    def run(self): self.log.in");
    const source_code = "x = { 'a':1 }";
    const formatted = await bench.owner.post(`/api/v3/objects/${node}/format`, { source_code, indent: 4 });
    expect(formatted.json()).toMatchObject({ source_code: 'x = {"a": 1}\n' });
    const socket = await connect({ url } as Parameters<typeof connect>[0], bench.owner);
    await socket.enter(bench.graphId);
    const code = new SharedCode(node);
    await code.open(socket);
    await expect.poll(() => code.text).toContain("class Wide");
    expect(await socket.ask("language_open", node)).toBe(null);
    const list = await askAbout(code, { kind: "completion" }, "self.log.in|");
    expect(JSON.stringify(list)).toContain("info");
    socket.close();
    bench.close();
  }

  it("runs with stack.yaml on a Swarm, where processors reach the agents' address and not each other", async () => {
    const { docker } = installation;
    const { address } = docker.namespace;
    await docker.startSwarm();
    await installation.cli([
      "node",
      "update",
      "--label-add",
      "processors=yes",
      await installation.cli(["node", "ls", "-q"]),
    ]);
    const icc = "com.docker.network.bridge.enable_icc=false";
    await installation.cli(["network", "create", "--config-only", "-o", icc, "miranda-machine"]);
    const swarmWide = ["--scope", "swarm", "--config-from", "miranda-machine"];
    await installation.cli(["network", "create", "-d", "bridge", ...swarmWide, "miranda-swarm"]);
    const names = { POSTGRES_USER: "miranda", POSTGRES_DB: "miranda", POSTGRES_PASSWORD: "tides" };
    const settings = Object.entries(names).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    await installation.cli([
      "run",
      "-d",
      "--name",
      "postgres",
      "-p",
      `${address}:5432:5432`,
      ...settings,
      "postgres:18",
    ]);
    await installation.cli(["run", "-d", "--name", "redis", "-p", `${address}:6379:6379`, "redis:8"]);
    // Refused at once, because the images are here already.
    const REGISTRY = "127.0.0.1:1";
    for (const name of ["miranda-server", "miranda-processor"])
      await installation.cli(["tag", name, `${REGISTRY}/${name}`]);
    await docker.client.createSecret({ Name: "miranda-registry", Data: Buffer.from("{}").toString("base64") });
    const url = `http://${address}:4600`;
    const deploy = ["stack", "deploy", "--resolve-image", "never", "-c", "docker/stack.yaml", "miranda"];
    await installation.cli(deploy, {
      REGISTRY,
      RUNNER_URL: url,
      DATABASE_URL: `postgres://miranda:tides@${address}/miranda`,
      REDIS_URL: `redis://${address}`,
    });
    await answering(url);

    const { bench, address: other } = await listening(url);
    const door = `${address}:4600`;
    expect(await reachedFrom(url, [`${other}:5000`, door])).toEqual([door]);
    await bench.until("stop", "", "EXITED");
    bench.close();
    const left = async () => (await docker.client.listServices()).map(({ Spec }) => Spec?.Name);
    await expect.poll(left, { timeout: 20_000 }).toEqual(["miranda_server"]);
    await installation.cli(["stack", "rm", "miranda"]);
  });
});
