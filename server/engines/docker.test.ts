import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../platform/config.ts";
import { newId } from "../platform/crypto.ts";
import { dockerProblem, processorImage } from "../testing/docker.ts";
import { type Ground, openGround, processesOf } from "../testing/grounds.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { openEngine } from "./open-engine.ts";

// What only containers promise.

describe.skipIf(dockerProblem() !== undefined)("the docker engine", { timeout: 60_000 }, () => {
  let ground: Ground;
  let registry: Server;
  let pulled: string;
  beforeAll(async () => {
    registry = createServer();
    await new Promise<void>((resolve) => registry.listen(0, resolve));
    ground = await openGround("docker", (docker) => {
      pulled = `${docker?.lan.hostAddress}:${(registry.address() as AddressInfo).port}/tools/python`;
      return { MIRANDA_IMAGES: `127.0.0.1:1/other, ${pulled}*` };
    });
  }, 120_000);
  afterAll(async () => {
    await ground.close();
    registry.close();
  });

  const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);

  it("gives node code no rights, no writable root, no other account, and the policy's share of the processor", async () => {
    const bench = await ground.fault.workbench();
    const node = await bench.node(
      script(
        "import os, pathlib",
        "status = dict(line.split(':\\t', 1) for line in open('/proc/self/status').read().splitlines() if ':\\t' in line)",
        "print(os.getuid(), os.getgid(), *(status[name].strip() for name in ('CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp')))",
        "for path in ('/x', '/opt/miranda/x', '/usr/x', '/etc/x', '/run/miranda/x', '/work/x', '/tmp/x'):",
        "    try: open(path, 'w'); print('may write', path)",
        "    except OSError: pass",
        "print(os.path.exists('/var/run/docker.sock'), os.listdir('/run/miranda'))",
        "files = ('/sys/fs/cgroup/cpu.max', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us')",
        "print(next(open(file).read().split()[0] for file in files if os.path.exists(file)))",
        "print(sorted({line.split()[1] for line in open('/proc/mounts') if 'miranda-docker' in line.split()[1]}))",
      ),
    );
    await bench.policy("compute", node, { cpu: 0.5, ram_gb: 0.5 });
    await bench.start();
    await bench.run();
    expect(await texts(bench)).toEqual([
      "10001 10001 0000000000000000 0000000000000000 1 2",
      "may write /work/x",
      "may write /tmp/x",
      "False ['socket']",
      "50000",
      "[]",
    ]);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("lets agents in by the socket that it mounts, and to nothing but their own calls", async () => {
    const bench = await ground.fault.workbench();
    await bench.node(
      script(
        "import socket",
        `for path in ('/api/v3/auth/', '/healthz', '/api/runner/../v3/auth/', '/api/runner/${newId()}/graph'):`,
        "    door = socket.socket(socket.AF_UNIX); door.connect('/run/miranda/socket')",
        "    door.sendall(f'GET {path} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n'.encode())",
        "    print(door.recv(100).split()[1].decode())",
      ),
    );
    await bench.start();
    await bench.run();
    expect(await texts(bench)).toEqual(["404", "404", "404", "401"]);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("refuses an image that is not allowed, and a GPU that is not there, in words", async () => {
    for (const [form, words] of [
      [
        { image: "evil:1" },
        /The image evil:1 is not allowed here; allowed are 127.0.0.1:1\/miranda-processor and 127.0.0.1:1\/other, /,
      ],
      [{ gpu: 1 }, /asks for GPUs, and this Docker Engine has none/],
      [{ image: "127.0.0.1:1/other" }, /The image 127.0.0.1:1\/other could not be pulled: /],
    ] as const) {
      const bench = await ground.fault.workbench();
      await bench.policy("compute", await bench.node(script("pass")), form);
      await expect(bench.start()).rejects.toThrow("became ERROR");
      expect((await texts(bench)).at(-1)).toMatch(words);
      expect((await ground.docker?.client.listContainers({ all: true }))?.map(({ Names }) => Names)).not.toContain(
        `/miranda-${bench.jobId}`,
      );
      bench.close();
    }
  });

  it("pulls an allowed image and says so in the session's log", async () => {
    const client = ground.docker?.client;
    if (!client) throw new Error("no Docker");
    await serveImage(registry, await exported(client));
    const bench = await ground.fault.workbench();
    await bench.policy("compute", await bench.node(script("print('pulled')")), { image: `${pulled}:3` });
    await bench.start();
    await bench.run();
    const [begun, ...said] = await texts(bench);
    expect(begun).toBe(`Pulling the image ${pulled}:3`);
    expect(said.slice(-2)).toEqual([`The image ${pulled}:3 is here`, "pulled"]);
    // How far it is, as often as there is time for it.
    for (const line of said.slice(0, -2)) expect(line).toMatch(/: \d+ of \d+ MB$/);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("counts the network, and keeps containers apart from each other", async () => {
    const one = await ground.fault.workbench();
    await one.node(
      script(
        "import socket, time",
        "door = socket.create_server(('', 5000))",
        "print(socket.gethostbyname(socket.gethostname()))",
        "time.sleep(300)",
      ),
    );
    await one.start();
    await one.until("start", "-1", "RUNNING");
    await expect.poll(async () => (await texts(one)).length).toBe(1);
    const [address] = await texts(one);
    const other = await ground.fault.workbench();
    await other.node(
      script(
        "import socket, time",
        `try: socket.create_connection(("${address}", 5000), 2); print("reached")`,
        "except OSError as error: print(type(error).__name__)",
        "time.sleep(2)",
      ),
    );
    await other.start();
    await other.run();
    expect(await texts(other)).toEqual(["TimeoutError"]);
    expect((await other.job()).net_tx_gb).toBeGreaterThan(0);
    for (const bench of [one, other]) {
      await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
      bench.close();
    }
  });

  it("goes on when the Docker daemon restarts, by order or by force: one execution (fault 21)", async () => {
    const bench = await ground.fault.workbench();
    await bench.node(script("import time", "for n in range(70):", "    print(n)", "    time.sleep(0.1)"));
    await bench.start();
    const before = await processesOf(bench.jobId);
    await bench.until("start", "-1", "RUNNING");
    const since = bench.ear.heard.length;
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await ground.docker?.halt(signal);
      await ground.docker?.resume();
    }
    await bench.state(since, "READY");
    expect(await texts(bench)).toEqual(Array.from({ length: 70 }, (_, n) => String(n)));
    expect((await processesOf(bench.jobId)).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
    await bench.until("stop", "", "EXITED");
    await expect
      .poll(async () => (await ground.docker?.client.listContainers({ all: true }))?.length, { timeout: 20_000 })
      .toBe(0);
    bench.close();
  });

  describe("is chosen", () => {
    const place = { dataFolder: "/tmp", installation: "x", address: () => "" };
    const open = async (environment: Record<string, string>) => {
      const said: string[] = [];
      const settings = readConfig(environment).processors;
      const engine = await openEngine(settings, { ...place, say: (line) => said.push(line) });
      return { name: engine.name, said };
    };

    it("by auto when Docker answers and has the image, else processes", async () => {
      const DOCKER_HOST = ground.docker?.host ?? "";
      const MIRANDA_PROCESSOR_IMAGE = processorImage;
      expect(await open({ DOCKER_HOST, MIRANDA_PROCESSOR_IMAGE })).toEqual({ name: "docker", said: [] });
      const { name, said } = await open({ DOCKER_HOST, MIRANDA_PROCESSOR_IMAGE: "missing" });
      expect([name, ...said]).toEqual(["local", expect.stringMatching(/not the image missing/)]);
      expect((await open({ DOCKER_HOST: "unix:///nowhere" })).name).toBe("local");
      expect((await open({ DOCKER_HOST: "tcp://127.0.0.1:1" })).name).toBe("local");
    });

    it("by name, and says what is wrong when it cannot be", async () => {
      await expect(open({ MIRANDA_ENGINE: "docker", DOCKER_HOST: "unix:///nowhere" })).rejects.toThrow(
        "MIRANDA_ENGINE is docker, but nothing answers at unix:///nowhere.",
      );
      expect(() => readConfig({ MIRANDA_ENGINE: "podman" })).toThrow("The setting MIRANDA_ENGINE is wrong");
      expect(() => readConfig({ MIRANDA_RUNNER_URL: "here" })).toThrow("The setting MIRANDA_RUNNER_URL is wrong");
    });
  });

  type Client = NonNullable<Ground["docker"]>["client"];

  /** The processor image as one layer, in the parts that a registry serves. */
  async function exported(client: Client): Promise<{ config: Buffer; layer: Buffer }> {
    const container = await client.createContainer({ Image: processorImage, name: "export" });
    const chunks: Buffer[] = [];
    for await (const chunk of await container.export()) chunks.push(chunk as Buffer);
    await container.remove();
    const layer = Buffer.concat(chunks);
    const { Config, Os, Architecture } = await client.getImage(processorImage).inspect();
    const rootfs = { type: "layers", diff_ids: [digestOf(layer)] };
    return {
      config: Buffer.from(JSON.stringify({ os: Os, architecture: Architecture, config: Config, rootfs })),
      layer,
    };
  }
});

function digestOf(data: Buffer): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/** As much of a registry as a pull asks for. */
async function serveImage(registry: Server, { config, layer }: { config: Buffer; layer: Buffer }): Promise<void> {
  const describeBlob = (data: Buffer, kind: string) => ({
    mediaType: `application/vnd.docker.${kind}`,
    size: data.length,
    digest: digestOf(data),
  });
  const type = "application/vnd.docker.distribution.manifest.v2+json";
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: type,
      config: describeBlob(config, "container.image.v1+json"),
      layers: [describeBlob(layer, "image.rootfs.diff.tar")],
    }),
  );
  const blobs = new Map([config, layer, manifest].map((data) => [digestOf(data), data]));
  registry.on("request", (request, response) => {
    const [, kind, name = ""] = /\/(manifests|blobs)\/(.+)$/.exec(request.url ?? "") ?? [];
    const data = kind === "manifests" ? manifest : blobs.get(name);
    if (request.url === "/v2/") return void response.end("{}");
    if (!data) return void response.writeHead(404).end();
    const headers = { "content-length": data.length, "docker-content-digest": digestOf(data) };
    response.writeHead(200, { ...headers, "content-type": kind === "manifests" ? type : "application/octet-stream" });
    response.end(request.method === "HEAD" ? undefined : data);
  });
}
