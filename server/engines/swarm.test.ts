import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import type Docker from "dockerode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { numbersOf } from "../faults/fault-bench.ts";
import { readConfig } from "../platform/settings/config.ts";
import { dockerProblem, TestDocker } from "../testing/services/docker.ts";
import { agentOf, type EngineWithServer, openEngineWithServer, processesOf } from "../testing/engine-under-test.ts";
import { script, type Workbench } from "../testing/workbench.ts";
import type { MachineReport } from "./engine.ts";
import { openEngine } from "./open-engine.ts";
import { signal } from "../testing/services/signal.ts";

// Tests for promises that only a Swarm makes: two Docker Engines on one switch, each with its own network.

const texts = async (bench: Workbench): Promise<string[]> => (await bench.lines()).map(([, text]) => text);
const network = "processors";
const noPlace = "Waiting for a machine: no suitable node (scheduling constraints not satisfied on 1 node)";

describe.skipIf(dockerProblem() !== undefined)("the swarm engine", { timeout: 90_000 }, () => {
  let underTest: EngineWithServer;
  let manager: TestDocker;
  let machine: TestDocker;
  beforeAll(async () => {
    const settings = {
      MIRANDA_SWARM_CONSTRAINTS: "node.labels.processors==yes",
      MIRANDA_SWARM_TOKEN: "environment",
      MIRANDA_DOCKER_NETWORK: network,
    };
    underTest = await openEngineWithServer("swarm", () => settings, ["--node-generic-resource", "gpu=1"]);
    if (!underTest.docker) throw new Error("no Docker");
    manager = underTest.docker;
    await layNetwork();
    machine = await TestDocker.start([], manager);
    await machine.buildProcessorImage();
    await machine.client.createNetwork(ofMachine);
  }, 120_000);
  afterAll(async () => {
    await machine.close();
    await underTest.close();
  });

  /** As in operations.md: one bridge per machine, on which containers cannot reach each other. */
  const ofMachine = {
    Name: "processors-here",
    ConfigOnly: true,
    Options: { "com.docker.network.bridge.enable_icc": "false" },
  } as Docker.NetworkCreateOptions;
  async function layNetwork(): Promise<void> {
    await manager.client.createNetwork(ofMachine);
    const swarmWide = { Name: network, Driver: "bridge", Scope: "swarm", ConfigFrom: { Network: ofMachine.Name } };
    await manager.client.createNetwork(swarmWide);
  }

  const services = async (): Promise<number> => (await manager.client.listServices()).length;

  /** Starts a processor that finds no machine yet. */
  async function ask(bench: Workbench): Promise<JobSummary> {
    const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: Date.now() });
    bench.jobId = made.json<{ id: string }>().id;
    const starting = await bench.state(0, "STARTING");
    return bench.state(
      bench.listener.received.findIndex(({ data }) => data === starting),
      "QUEUED",
    );
  }

  it("leaves a session without a machine QUEUED with the scheduler's reason, and stopping it leaves nothing", async () => {
    const bench = await underTest.fault.workbench();
    await ask(bench);
    expect(await texts(bench)).toEqual([noPlace]);
    const since = bench.listener.received.length;
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    await bench.state(since, "EXITED");
    await expect.poll(services, { timeout: 20_000 }).toBe(0);
    bench.close();
  });

  it("starts it when a machine has the label, gives its one GPU to one session at a time, and ends a hanging one", async () => {
    const benches = [await underTest.fault.workbench(), await underTest.fault.workbench()] as const;
    for (const bench of benches) await bench.policy("compute", await bench.node(script("pass")), { gpu: 1 });
    const [one, other] = benches;
    await ask(one);
    expect(await texts(one)).toEqual([noPlace]);
    await label("manager", { processors: "yes" });
    await one.state(0, "READY");
    await ask(other);
    expect(await texts(other)).toEqual(["Waiting for a machine: no suitable node (insufficient resources on 1 node)"]);
    await one.until("stop", "", "EXITED");
    await other.state(0, "READY");
    signal(await agentOf(other.jobId), "SIGSTOP");
    await other.owner.put(`/api/v3/jobs/${other.jobId}/cancel`);
    await other.state(0, "EXITED");
    expect(await processesOf(other.jobId)).toEqual([]);
    await expect.poll(services, { timeout: 20_000 }).toBe(0);
    const containers = async () => (await manager.client.listContainers({ all: true })).length;
    await expect.poll(containers, { timeout: 20_000 }).toBe(0);
    await label("manager", {});
    for (const bench of benches) bench.close();
  });

  it("isolates processors from each other", async () => {
    await label("manager", { processors: "yes" });
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
        "import socket",
        `try: socket.create_connection(("${address}", 5000), 2); print("reached")`,
        "except OSError as error: print(type(error).__name__)",
      ),
    );
    await other.start();
    await other.run();
    expect(await texts(other)).toEqual(["TimeoutError"]);
    await other.until("stop", "", "EXITED");
    await one.owner.put(`/api/v3/jobs/${one.jobId}/cancel`);
    await one.state(0, "EXITED");
    await label("manager", {});
    for (const bench of [one, other]) bench.close();
  });

  it("starts when there is room, continues when the manager restarts, and ends when its machine dies (faults 21, 22)", async () => {
    const bench = await underTest.fault.workbench();
    await bench.node(script("import time", "for n in range(3000):", "    print(n)", "    time.sleep(0.1)"));
    await ask(bench);
    await join();
    const since = bench.listener.received.length;
    await bench.state(since, "READY");
    expect((await texts(bench))[0]).toBe(noPlace);
    expect((await machine.client.listContainers()).length).toBe(1);
    await bench.until("start", "-1", "RUNNING");
    await expect.poll(() => texts(bench)).toContain("0");
    const before = await processesOf(bench.jobId);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const old = await knownMachine();
      await manager.halt(signal);
      await manager.resume();
      // A restarted manager first reads the old state, and then knows nothing of the machine until it reports again. A
      // machine that is lost before that is given up much later.
      const reported = async () => {
        const { state, version } = await knownMachine();
        return state === "ready" && version !== old.version;
      };
      await expect.poll(reported, { timeout: 60_000 }).toBe(true);
    }
    const reached = (await texts(bench)).length;
    await expect.poll(async () => (await texts(bench)).length, { timeout: 20_000 }).toBeGreaterThan(reached + 20);
    expect((await bench.job()).workflow_state).toBe("RUNNING");
    expect((await processesOf(bench.jobId)).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid));
    // Beside the scheduler's reasons: it has another one while the machine has joined and has no label yet.
    const numbers = await numbersOf(bench);
    expect(numbers).toEqual(numbers.map((_, at) => at));

    await machine.unplug();
    const from = bench.listener.received.length;
    await bench.state(from, "ERROR");
    expect((await texts(bench)).at(-1)).toMatch(/^The machine \S+ of the Swarm is gone: .*heartbeat failure/);
    expect(await services()).toBe(0);
    bench.close();
  }, 180_000);

  async function join(): Promise<void> {
    const { JoinTokens } = (await manager.client.swarmInspect()) as { JoinTokens: { Worker: string } };
    const address = machine.namespace.address;
    await machine.client.swarmJoin({
      ListenAddr: `${address}:2377`,
      AdvertiseAddr: address,
      RemoteAddrs: [`${manager.namespace.address}:2377`],
      JoinToken: JoinTokens.Worker,
    });
    await label("worker", { processors: "yes" });
  }

  /** What the manager knows of the machine. The version is another one after each thing it learned. */
  async function knownMachine(): Promise<{ state: string | undefined; version: number | undefined }> {
    const nodes = (await manager.client.listNodes()) as {
      Spec: { Role: string };
      Status: { State: string };
      Version: { Index: number };
    }[];
    const found = nodes.find(({ Spec }) => Spec.Role === "worker");
    return { state: found?.Status.State, version: found?.Version.Index };
  }

  async function label(role: "manager" | "worker", labels: Record<string, string>): Promise<void> {
    const nodes = (await manager.client.listNodes()) as {
      ID: string;
      Version: { Index: number };
      Spec: { Role: string; Availability: string };
    }[];
    const found = nodes.find(({ Spec }) => Spec.Role === role);
    if (!found) throw new Error(`no ${role}`);
    const { ID, Version, Spec } = found;
    await manager.client.getNode(ID).update({ version: Version.Index, ...Spec, Labels: labels });
  }

  it("closes a machine to new sessions without ending what runs there, and opens it again", async () => {
    const place = { dataFolder: "/tmp", installation: "x", address: () => "", host: "127.0.0.1", log: () => undefined };
    const { DOCKER_HOST, MIRANDA_RUNNER_URL } = { DOCKER_HOST: manager.host, MIRANDA_RUNNER_URL: "http://x" };
    const { processors } = readConfig({ MIRANDA_ENGINE: "swarm", DOCKER_HOST, MIRANDA_RUNNER_URL });
    const engine = await openEngine(processors, place);
    const own = async () => (await engine.machines()).find(({ state }) => state === "ready");
    const found = await own();
    expect(found).toMatchObject({ isClosed: false, jobs: [], version: expect.stringMatching(/^Docker \d/) });
    expect([found?.cores, found?.memoryBytes].every((size) => Number(size) > 0)).toBe(true);
    // Of the other machines, Swarm does not say what is free.
    const isMeasured = ({ freeMemoryBytes, freeDiskBytes }: MachineReport) =>
      Number(freeMemoryBytes) > 0 && Number(freeDiskBytes) > 0;
    expect((await engine.machines()).filter(isMeasured)).toHaveLength(1);
    await engine.setOpen?.(found?.id ?? "", false);
    const nodes = (await manager.client.listNodes()) as { ID: string; Spec: { Availability: string } }[];
    const node = nodes.find(({ ID }) => found?.id.endsWith(ID));
    expect([await own(), node?.Spec.Availability]).toMatchObject([{ isClosed: true }, "pause"]);
    await engine.setOpen?.(found?.id ?? "", true);
    expect(await own()).toMatchObject({ isClosed: false });
    await expect(engine.setOpen?.("swarm:gone", false)).rejects.toThrow("has left the Swarm");
  });

  it("needs a manager and an address for agents, and warns when Docker is too old to forbid new privileges", async () => {
    const logged: string[] = [];
    const log = (line: string) => void logged.push(line);
    const place = { dataFolder: "/tmp", installation: "x", address: () => "", host: "127.0.0.1", log };
    const open = (environment: Record<string, string>) =>
      openEngine(readConfig({ MIRANDA_ENGINE: "swarm", ...environment }).processors, place);
    await expect(open({ DOCKER_HOST: machine.host })).rejects.toThrow("is no manager of one");
    await expect(open({ DOCKER_HOST: manager.host })).rejects.toThrow("MIRANDA_RUNNER_URL must be the address");
    expect(logged).toEqual([]);
    await open({ DOCKER_HOST: "unix:///nowhere", MIRANDA_RUNNER_URL: "http://x" });
    expect(logged.splice(0)).toEqual([expect.stringContaining("MIRANDA_ENGINE is swarm, but nothing answers at")]);
    await open({ DOCKER_HOST: manager.host, MIRANDA_RUNNER_URL: "http://x" });
    const { Version } = await manager.client.version();
    const isOld = Number.parseInt(Version, 10) < 25;
    expect(logged).toEqual(isOld ? [expect.stringContaining(`(${Version})`)] : []);
  });
});
