import { sampleArgs } from "@miranda/contract/command-args.ts";
import type { SampleEvent } from "@miranda/contract/schemas/processors.ts";
import type { Continuation } from "@miranda/contract/schemas/runs.ts";
import { mkdtemp, readdir, readFile, truncate, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { finishChore } from "../../testing/finish-chore.ts";
import {
  addOne,
  keptResults,
  planOf,
  ranNodes,
  resume,
  slowChain,
  slowNode,
} from "../../testing/results/kept-results.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";
import { createResults } from "./results-service.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const sweep = () => {
  const settings = { resultBytes: 1e9, diskReserveBytes: 0 };
  const graphs = { getGraph: () => Promise.reject(new Error("A chore asks for no workflow.")) };
  return createResults({ db: server.db, graphs, dataFolder: server.dataFolder, settings }).sweep();
};

const kept = (bench: Workbench, count: number) => keptResults(server.db, bench.projectId, count);
const stop = (bench: Workbench) => bench.until("stop", "", "EXITED");

/** A chain that ran in a session that has ended. */
async function ranChain(length: number): Promise<{ bench: Workbench; ids: number[] }> {
  const bench = await Workbench.open(server);
  const ids = await slowChain(
    bench,
    Array.from({ length }, () => addOne),
  );
  await bench.start();
  await bench.run();
  await kept(bench, length);
  await stop(bench);
  return { bench, ids };
}

async function filesOf(bench: Workbench): Promise<string[]> {
  const folder = join(server.dataFolder, "results", bench.projectId);
  return (await readdir(folder)).map((name) => join(folder, name));
}

describe("a new session that continues", () => {
  it("runs only the fixed node and those after it", async () => {
    const bench = await Workbench.open(server);
    const lines = Array.from({ length: 10 }, () => addOne);
    const ids = await slowChain(bench, lines.with(8, "raise ValueError('node 9')"));
    await bench.start();
    await bench.run();
    await kept(bench, 8);
    await stop(bench);

    await bench.code(ids[8] ?? 0, slowNode("N9", addOne));
    await bench.start();
    const entries = await planOf(bench, { resume: true });
    expect(entries.map(({ run }) => run)).toEqual([...Array.from({ length: 8 }, () => false), true, true]);
    expect(new Set(entries.slice(0, 8).map(({ reason }) => reason))).toEqual(
      new Set(["Kept from session 1, just now."]),
    );
    expect(entries.filter(({ result }) => result !== null)).toHaveLength(8);
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual(["N9", "N10"]);
    const reasons = (await planOf(bench)).map(({ reason }) => reason);
    expect(reasons).toEqual(entries.map(() => "Nothing changed."));
    bench.close();
  });

  it("runs what read a file that is another by now, and what follows it", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "miranda-read-")), "data.csv");
    await writeFile(file, "1");
    const bench = await Workbench.open(server);
    const ids = await slowChain(bench, [`self.out.send(int(open(${JSON.stringify(file)}).read()))`, addOne, addOne]);
    await bench.start();
    await bench.run();
    await kept(bench, 3);
    await stop(bench);
    await bench.start();
    expect((await planOf(bench, { resume: true })).map(({ run }) => run)).toEqual([false, false, false]);

    await writeFile(file, "55");
    const changed = `The file ${file} changed.`;
    const entries = await planOf(bench, { resume: true });
    expect(entries.map(({ run, reason }) => [run, reason])).toEqual(ids.map(() => [true, changed]));
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual(["N1", "N2", "N3"]);
    // The newer results take the places of the older, beside the run.
    const newer = sql`select 1 from results where project_id = ${bench.projectId}
      and reads -> 'files' -> ${file} ->> 0 = '2'`;
    await expect.poll(async () => (await newer.execute(server.db)).rows.length).toBe(3);
    bench.close();
  });

  it("shows on its edges what was kept", async () => {
    const { bench, ids } = await ranChain(2);
    await bench.start();
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual([]);
    const since = bench.listener.received.length;
    await bench.send("sample", sampleArgs({ node: ids[1] ?? 0, transmitter: "out" }));
    const sample = await bench.listener.wait<SampleEvent>("sample", () => true, since);
    expect([sample.value, sample.sent]).toEqual([2, 1]);
    bench.close();
  });

  it("runs everything when nobody asks for kept results", async () => {
    const { bench } = await ranChain(2);
    await bench.start();
    await bench.run();
    expect(await ranNodes(bench)).toEqual(["N1", "N2"]);
    bench.close();
  });

  it("uses kept results without asking where the class says so", async () => {
    const bench = await Workbench.open(server);
    await bench.node(slowNode("N1", addOne).replace("    inp", '    cache = "project"\n    inp'));
    await bench.start();
    await bench.run();
    await kept(bench, 1);
    await stop(bench);
    await bench.start();
    await bench.run();
    expect(await ranNodes(bench)).toEqual([]);
    bench.close();
  });

  it("keeps nothing that used a secret, and says so in the plan", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.post("/api/v3/secrets", { key: "TIDES", value: "hunter22", project_id: bench.projectId });
    const ids = await slowChain(bench, [addOne, "self.out.send(len(secret('TIDES')))", addOne]);
    await bench.start();
    await bench.run();
    await kept(bench, 1);
    const [first, second, third] = await planOf(bench);
    expect(first?.reason).toBe("Nothing changed.");
    const unkept = "Nothing changed. It is not kept for later sessions:";
    expect(second?.reason).toBe(`${unkept} it used a secret or a password.`);
    expect(third?.reason).toBe(`${unkept} it is fed by N2: it used a secret or a password.`);
    await stop(bench);
    const rows = await server.db
      .selectFrom("results")
      .select("node_id")
      .where("project_id", "=", bench.projectId)
      .execute();
    expect(rows).toEqual([{ node_id: ids[0] }]);
    bench.close();
  });
});

describe("a kept file that is not what it was", () => {
  it.each([
    ["was cut", (file: string) => truncate(file, 20)],
    ["is gone", (file: string) => unlink(file)],
  ])("makes its node run again, and the log says so, when it %s", async (_what, spoil) => {
    const { bench } = await ranChain(2);
    for (const file of await filesOf(bench)) await spoil(file);
    await bench.start();
    const [first] = await planOf(bench, { resume: true });
    expect([first?.run, first?.reason]).toEqual([true, "Its kept result was damaged and has been removed."]);
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual(["N1", "N2"]);
    const texts = (await bench.lines()).map(([, text]) => text);
    expect(texts).toContain("N1 runs again. Its kept result was damaged and has been removed.");
    // They are kept again.
    await kept(bench, 2);
    bench.close();
  });

  it("makes its node run again when a byte of it was changed, and is never loaded", async () => {
    const { bench, ids } = await ranChain(2);
    for (const file of await filesOf(bench)) {
      const content = await readFile(file);
      content.writeUInt8(content.readUInt8(content.length - 1) ^ 1, content.length - 1);
      await writeFile(file, content);
    }
    await bench.code(ids[1] ?? 0, slowNode("N2", "self.out.send(self.inp * 100)"));
    await bench.start();
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual(["N1", "N2"]);
    const texts = (await bench.lines()).map(([, text]) => text);
    expect(texts).toContain(
      "N1 runs again. Its kept result cannot be used: its file was damaged and has been removed.",
    );
    bench.close();
  });

  it("goes with its project", async () => {
    const { bench } = await ranChain(1);
    const [file = ""] = await filesOf(bench);
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(file, longAgo, longAgo);
    expect((await bench.owner.delete(`/api/v3/projects/${bench.projectId}`)).status).toBe(200);
    const rows = () => server.db.selectFrom("results").where("project_id", "=", bench.projectId).selectAll().execute();
    await expect.poll(rows).toEqual([]);
    await finishChore(sweep());
    expect(await readdir(join(server.dataFolder, "results"))).not.toContain(bench.projectId);
    bench.close();
  });

  it("is removed when no row knows it", async () => {
    const { bench } = await ranChain(1);
    const [known = ""] = await filesOf(bench);
    const unknown = known.replace(/[0-9a-f]{16}$/, "0".repeat(16));
    const draft = known.replace(/-[0-9a-f]{16}$/, ".0011223344556677.part");
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const file of [unknown, draft]) await writeFile(file, "x");
    for (const file of [known, unknown, draft]) await utimes(file, longAgo, longAgo);
    await finishChore(sweep());
    expect(await filesOf(bench)).toEqual([known]);
    bench.close();
  });
});

describe("what a new session could continue from", () => {
  const continuation = async (bench: Workbench) =>
    (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/continuation`)).json<Continuation | null>();

  it("is the newest run that left results, with the nodes that are as they were", async () => {
    const { bench, ids } = await ranChain(3);
    const first = await continuation(bench);
    expect(first).toMatchObject({ kept: 3, nodes: 3, state: "done", session: { number: 1, name: "Flow" } });
    expect(first?.session.id).toBe(bench.jobId);
    await bench.code(ids[1] ?? 0, slowNode("N2", "self.out.send(7)"));
    expect(await continuation(bench)).toMatchObject({ kept: 1, nodes: 3 });
    await bench.owner.patch(`/api/v3/objects/${ids[0] ?? 0}`, { x: 50, y: 60 });
    expect(await continuation(bench)).toMatchObject({ kept: 1, nodes: 3 });
    bench.close();
  });

  it("is nothing where nothing is kept, and is no business of strangers", async () => {
    const bench = await Workbench.open(server);
    await bench.node(script("pass"));
    expect(await continuation(bench)).toBeNull();
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    const stranger = await server.signUp();
    expect((await stranger.get(`/api/v3/graphs/${bench.graphId}/continuation`)).status).toBe(404);
    bench.close();
  });
});
