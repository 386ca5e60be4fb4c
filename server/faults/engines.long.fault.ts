import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  type EngineWithServer,
  engineVariants,
  isAvailable,
  openEngineWithServer,
  processesOf,
} from "../testing/engine-under-test.ts";

describe.each(engineVariants.filter(isAvailable))("the engine %s", { timeout: 600_000 }, (name) => {
  let underTest: EngineWithServer;
  beforeAll(async () => {
    underTest = await openEngineWithServer(name);
  }, 120_000);
  afterAll(() => underTest.close());

  /** Everything that a launch creates and an end must remove. */
  async function countResources(): Promise<Record<string, number>> {
    const client = underTest.docker?.client;
    if (!client) return {};
    const { Volumes } = await client.listVolumes();
    const isSwarm = name === "swarm";
    return {
      containers: (await client.listContainers({ all: true })).length,
      volumes: Volumes.length,
      services: isSwarm ? (await client.listServices()).length : 0,
      secrets: isSwarm ? (await client.listSecrets()).length : 0,
      mounts: (await readdir(join(underTest.docker?.folder ?? "", "data", "containers"))).length,
    };
  }

  it("launches and stops 200 times without a leak", async () => {
    const bench = await underTest.fault.workbench();
    const ids: string[] = [];
    let before: Record<string, number> | undefined;
    for (let at = 0; at < 200; at++) {
      ids.push(await bench.start());
      await bench.until("stop", "", "EXITED");
      // The first session creates the project's volume, which stays.
      if (at > 0) continue;
      await expect.poll(async () => (await countResources())["containers"] ?? 0, { timeout: 60_000 }).toBe(0);
      before = await countResources();
    }
    await expect.poll(countResources, { timeout: 60_000 }).toEqual(before);
    expect((await Promise.all(ids.slice(-10).map(processesOf))).flat()).toEqual([]);
    bench.close();
  });

  it("leaves nothing after a minute when sessions are stopped 100 times during their launch (fault 9)", async () => {
    const bench = await underTest.fault.workbench();
    const ids: string[] = [];
    for (let at = 0; at < 100; at++) {
      const since = bench.listener.received.length;
      const made = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor`, { tag: at + 1 });
      bench.jobId = made.json<{ id: string }>().id;
      ids.push(bench.jobId);
      // At a different moment of the launch each time.
      await new Promise((resolve) => setTimeout(resolve, (at * 37) % 600));
      await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
      await bench.state(since, "EXITED");
    }
    await expect.poll(async () => (await countResources())["containers"] ?? 0, { timeout: 60_000 }).toBe(0);
    expect((await Promise.all(ids.map(processesOf))).flat()).toEqual([]);
    bench.close();
  });
});
