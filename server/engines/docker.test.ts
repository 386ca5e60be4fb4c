import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { gitProblem, sshProblem } from "../../scripts/git.ts";
import { readConfig } from "../platform/settings/config.ts";
import { newId } from "../platform/crypto.ts";
import { runtimeFolder } from "../platform/python.ts";
import { dockerProblem, processorImage } from "../testing/services/docker.ts";
import { pullAndPush } from "../testing/services/git-in-containers.ts";
import { type EngineWithServer, openEngineWithServer, processesOf } from "../testing/engine-under-test.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import { dockerFolders } from "./docker-folders.ts";
import { EngineAway, type Launch } from "./engine.ts";
import { openEngine } from "./open-engine.ts";

// Tests for promises that only containers make.

const anyLaunch: Launch = {
  ...{ jobId: newId(), token: "t", isAgain: false, projectId: "p", graphId: "g", image: "" },
  ...{
    cpus: 0,
    ramBytes: 0,
    reservedRamBytes: 0,
    gpus: 0,
    maxSeconds: 0,
    servesCalls: false,
    log: async () => undefined,
  },
};

describe.skipIf(dockerProblem() !== undefined)("the docker engine", { timeout: 60_000 }, () => {
  let underTest: EngineWithServer;
  beforeAll(async () => {
    underTest = await openEngineWithServer("docker", () => ({
      MIRANDA_IMAGES: "127.0.0.1:1/other, 127.0.0.1:1/more*",
    }));
  }, 120_000);
  afterAll(() => underTest.close());

  const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);
  const firstLine = async (bench: Workbench): Promise<string | undefined> => (await bench.logs())[0]?.message;

  it("gives node code no capabilities, a read-only root, no other account, and the policy's share of the CPU", async () => {
    const bench = await underTest.fault.workbench();
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
    await underTest.docker?.client.getImage(processorImage).tag({ repo: "127.0.0.1:1/more", tag: "1" });
    await bench.policy("compute", node, { cpu: 0.5, ram_gb: 0.5, image: "127.0.0.1:1/more:1" });
    await bench.start();
    expect(await firstLine(bench)).toBe("This processor runs as a container of the image 127.0.0.1:1/more:1.");
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

  it("lets agents reach their own calls by the mounted socket, and nothing else", async () => {
    const bench = await underTest.fault.workbench();
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
    expect(await firstLine(bench)).toBe(`This processor runs as a container of the image ${processorImage}.`);
    await bench.run();
    expect(await texts(bench)).toEqual(["404", "404", "421", "401"]);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("lets agents in by a volume when the server itself is a container", async () => {
    const { fault, docker } = underTest;
    const options = { type: "none", o: "bind", device: `${fault.dataFolder}/agents` };
    await docker?.client.createVolume({ Name: "door", Driver: "local", DriverOpts: options });
    fault.environment["MIRANDA_DOOR_VOLUME"] = "door";
    await fault.server.kill("SIGTERM");
    await fault.restart();
    const bench = await fault.workbench();
    await bench.node(script("try: open('/run/miranda/x', 'w')", "except OSError as error: print(error.strerror)"));
    await bench.start();
    const mounts = (await docker?.client.getContainer(`miranda-${bench.jobId}`).inspect())?.Mounts;
    expect(mounts?.find(({ Destination }) => Destination === "/run/miranda")).toMatchObject({
      Name: "door",
      RW: false,
    });
    await bench.run();
    expect(await texts(bench)).toEqual(["Read-only file system"]);
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("refuses an image that is not allowed and a missing GPU with clear words", async () => {
    for (const [form, words] of [
      [
        { image: "evil:1" },
        /The image evil:1 is not allowed here; allowed are 127.0.0.1:1\/miranda-processor and 127.0.0.1:1\/other, 127.0.0.1:1\/more\*\./,
      ],
      [{ gpu: 1 }, /asks for GPUs, and this Docker Engine has none/],
      [{ image: "127.0.0.1:1/other" }, /The image 127.0.0.1:1\/other could not be pulled: /],
    ] as const) {
      const bench = await underTest.fault.workbench();
      await bench.policy("compute", await bench.node(script("pass")), form);
      await expect(bench.start()).rejects.toThrow("became ERROR");
      expect((await texts(bench)).at(-1)).toMatch(words);
      expect((await underTest.docker?.client.listContainers({ all: true }))?.map(({ Names }) => Names)).not.toContain(
        `/miranda-${bench.jobId}`,
      );
      bench.close();
    }
  });

  it.skipIf(gitProblem() ?? sshProblem())("pulls and pushes a node's code, over https and over ssh", async () => {
    const { docker, fault } = underTest;
    if (!docker) throw new Error("no Docker");
    const image = "127.0.0.1:1/more:git";
    const printed = await pullAndPush(docker, { from: processorImage, to: image }, async () => {
      const bench = await fault.workbench();
      await bench.policy("compute", await bench.node(script("pass"), "First"), { image });
      return bench;
    });
    expect(printed).toContain("four");
  });

  it("measures the network, and isolates containers from each other", async () => {
    const one = await underTest.fault.workbench();
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
    const other = await underTest.fault.workbench();
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

  it("measures the volume of a project, and removes it with the project", async () => {
    const bench = await underTest.fault.workbench();
    await bench.node(script("from miranda import storage", "(storage() / 'rows').write_bytes(b'x' * 3_000_000)"));
    await bench.start();
    await bench.run();
    const client = underTest.docker?.client;
    const volume = (await client?.listVolumes())?.Volumes.find(({ Name }) => Name.endsWith(bench.projectId));
    if (!client || !volume) throw new Error("no volume");
    const folders = dockerFolders(client, volume.Name.slice("miranda-".length, -bench.projectId.length - 1));
    const projects = [bench.projectId, newId()].map((projectId) => ({ projectId, graphIds: [] }));
    const [own, other] = await folders.measure(projects);
    expect(own?.volumes).toBeGreaterThanOrEqual(3_000_000);
    expect(other?.volumes).toBe(0);
    // Docker keeps what a session uses.
    await expect(folders.remove(bench.projectId)).rejects.toThrow("in use");
    await bench.until("stop", "", "EXITED");
    await expect
      .poll(() => folders.remove(bench.projectId).then(() => "removed", String), { timeout: 20_000 })
      .toBe("removed");
    expect((await client.listVolumes()).Volumes.map(({ Name }) => Name)).not.toContain(volume.Name);
    await folders.remove(bench.projectId);
    bench.close();
  });

  it("reports the load, memory and disk of its machine where this server runs on it too", async () => {
    const settings = readConfig({ MIRANDA_ENGINE: "docker", DOCKER_HOST: underTest.docker?.host ?? "" }).processors;
    const place = { dataFolder: "/tmp", installation: "x", address: () => "", host: "127.0.0.1", log: () => undefined };
    const engine = await openEngine(settings, place);
    const [machine] = await engine.machines();
    expect(machine).toMatchObject({ state: "ready", version: expect.stringMatching(/^Docker \d/) });
    expect(machine?.load).toBeGreaterThanOrEqual(0);
    expect(machine?.freeMemoryBytes).toBeGreaterThan(0);
    expect(machine?.freeMemoryBytes).toBeLessThan(machine?.memoryBytes ?? 0);
    expect(machine?.freeDiskBytes).toBeGreaterThan(0);
  });

  it("waits for Docker's measurement only for the last sample", async () => {
    const bench = await underTest.fault.workbench();
    await bench.start();
    const settings = readConfig({ MIRANDA_ENGINE: "docker", DOCKER_HOST: underTest.docker?.host ?? "" }).processors;
    const place = { dataFolder: "/tmp", installation: "x", address: () => "", host: "127.0.0.1", log: () => undefined };
    const { usage } = await openEngine(settings, place);
    if (!usage) throw new Error("no usage");
    // As if other containers were measured too: Docker measures once a second.
    const others = await underTest.docker?.client.getContainer(`miranda-${bench.jobId}`).stats({ stream: true });
    const began = performance.now();
    for (let at = 0; at < 12; at++) await usage(bench.jobId, false);
    expect(performance.now() - began).toBeLessThan(8_000);
    expect((await usage(bench.jobId, true))?.cpuSeconds).toBeGreaterThan(0);
    expect((await usage(bench.jobId, false))?.cpuSeconds).toBeGreaterThan(0);
    (others as unknown as Readable).destroy();
    await bench.until("stop", "", "EXITED");
    bench.close();
  });

  it("gives in lanes what one node after the other gives, as random workflows show", { timeout: 300_000 }, async () => {
    const container = await underTest.docker?.client.createContainer({
      Image: processorImage,
      Entrypoint: ["python3", "-m", "unittest", "tests.lanes.test_property"],
      WorkingDir: "/runtime",
      Env: ["MIRANDA_SEEDS=300", "PYTHONDONTWRITEBYTECODE=1", "HOME=/tmp"],
      HostConfig: {
        Binds: [`${runtimeFolder}:/runtime:ro`],
        ...{ CapDrop: ["ALL"], SecurityOpt: ["no-new-privileges"], ReadonlyRootfs: true, PidsLimit: 512 },
        Tmpfs: { "/tmp": "rw,nosuid,nodev,mode=1777,size=256m" },
      },
    });
    await container?.start();
    await container?.wait();
    const said = (await container?.logs({ stdout: true, stderr: true }))?.toString() ?? "";
    await container?.remove();
    expect(said).toMatch(/OK\s*$/);
  });

  it("continues one execution when the Docker daemon restarts, in order or killed (fault 21)", async () => {
    const bench = await underTest.fault.workbench();
    await bench.node(script("import time", "for n in range(70):", "    print(n)", "    time.sleep(0.1)"));
    await bench.start();
    await bench.until("start", "-1", "RUNNING");
    await expect.poll(() => texts(bench)).toContain("0");
    const before = await processesOf(bench.jobId);
    const since = bench.listener.received.length;
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await underTest.docker?.halt(signal);
      await underTest.docker?.resume();
    }
    await bench.state(since, "READY");
    expect(await texts(bench)).toEqual(Array.from({ length: 70 }, (_, n) => String(n)));
    expect((await processesOf(bench.jobId)).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
    await bench.until("stop", "", "EXITED");
    await expect
      .poll(async () => (await underTest.docker?.client.listContainers({ all: true }))?.length, { timeout: 20_000 })
      .toBe(0);
    bench.close();
  });

  it("waits for a Docker daemon that is down or silent, across a restart of the server, and not longer than allowed", async () => {
    const { fault, docker } = underTest;
    const engine = { MIRANDA_ENGINE: "docker", DOCKER_HOST: docker?.host ?? "" };
    const place = { dataFolder: "/tmp", installation: "x", address: () => "", host: "127.0.0.1", log: () => undefined };
    const hasty = await openEngine(readConfig({ ...engine, MIRANDA_DOCKER_SECONDS: "1" }).processors, place);
    await docker?.whileFrozen(() => expect(hasty.launch(anyLaunch)).rejects.toThrow(EngineAway));

    await docker?.halt("SIGTERM");
    const wrong = await openEngine(readConfig({ ...engine, MIRANDA_DOOR_VOLUME: "missing" }).processors, place);
    await expect(wrong.launch(anyLaunch)).rejects.toThrow(EngineAway);

    const benches = await Promise.all([fault.workbench(), fault.workbench(), fault.workbench()]);
    const [patient, stopped, late] = benches;
    await patient.node(script("print('ran')"));
    for (const bench of benches) {
      const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: Date.now() });
      bench.jobId = made.json<{ id: string }>().id;
      const starting = await bench.state(0, "STARTING");
      const since = bench.listener.received.findIndex(({ data }) => data === starting);
      await bench.state(since, "QUEUED");
      expect(await texts(bench)).toEqual(["Waiting: the Docker Engine does not answer. Trying again for 45 s."]);
    }
    await stopped.owner.put(`/api/v3/jobs/${stopped.jobId}/cancel`);
    await stopped.state(0, "EXITED");
    const minutesAgo = { engine_away_since: new Date(0) };
    await fault.database.db.updateTable("jobs").set(minutesAgo).where("id", "=", late.jobId).execute();
    await late.state(0, "ERROR");
    expect((await texts(late)).at(-1)).toBe("The processor could not be started: the Docker Engine does not answer.");

    await fault.server.kill("SIGTERM");
    await fault.restart();
    const bench = await fault.follow(patient);
    expect((await bench.job()).workflow_state).toBe("QUEUED");
    await docker?.resume();
    await bench.state(0, "READY");
    expect((await bench.run()).workflow_state).toBe("READY");
    expect((await texts(bench)).slice(1)).toEqual(["ran"]);
    await bench.until("stop", "", "EXITED");
    await expect(wrong.launch(anyLaunch)).rejects.toThrow("names the volume missing");
    for (const one of [bench, stopped, late]) one.close();
  });

  describe("choosing the engine", () => {
    const place = { dataFolder: "/tmp", installation: "x", address: () => "" };
    const open = async (environment: Record<string, string>) => {
      const logged: string[] = [];
      const settings = readConfig(environment).processors;
      const engine = await openEngine(settings, { ...place, host: "127.0.0.1", log: (line) => logged.push(line) });
      return { name: engine.name, logged };
    };

    it("takes Docker for auto when it answers and has the image, else local processes", async () => {
      const DOCKER_HOST = underTest.docker?.host ?? "";
      const MIRANDA_PROCESSOR_IMAGE = processorImage;
      expect(await open({ DOCKER_HOST, MIRANDA_PROCESSOR_IMAGE })).toEqual({ name: "docker", logged: [] });
      const { name, logged } = await open({ DOCKER_HOST, MIRANDA_PROCESSOR_IMAGE: "missing" });
      expect([name, ...logged]).toEqual(["local", expect.stringMatching(/not the image missing/)]);
      expect((await open({ DOCKER_HOST: "unix:///nowhere" })).name).toBe("local");
      expect((await open({ DOCKER_HOST: "tcp://127.0.0.1:1" })).name).toBe("local");
    });

    it("uses the configured engine, and reports why when it cannot", async () => {
      expect(await open({ MIRANDA_ENGINE: "docker", DOCKER_HOST: "unix:///nowhere" })).toEqual({
        name: "docker",
        logged: ["MIRANDA_ENGINE is docker, but nothing answers at unix:///nowhere: processors start when it does."],
      });
      const door = {
        MIRANDA_ENGINE: "docker",
        DOCKER_HOST: underTest.docker?.host ?? "",
        MIRANDA_DOOR_VOLUME: "missing",
      };
      await expect(open(door)).rejects.toThrow("names the volume missing, which that Docker Engine does not have.");
      expect(() => readConfig({ ...door, MIRANDA_RUNNER_URL: "http://x" })).toThrow("Set one of them");
      expect(() => readConfig({ MIRANDA_ENGINE: "podman" })).toThrow("The setting MIRANDA_ENGINE is wrong");
      expect(() => readConfig({ MIRANDA_RUNNER_URL: "here" })).toThrow("The setting MIRANDA_RUNNER_URL is wrong");
    });
  });
});
