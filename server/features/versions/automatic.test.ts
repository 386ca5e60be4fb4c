import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";
import type { Version } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { deletedProjectQueries } from "../projects/deleted-projects-queries.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { addVersion } from "../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { sampleContent, sampleNode } from "../../testing/versions/version-samples.ts";
import { automaticVersionsIn, versionsOf } from "../../testing/versions/versions.ts";
import { listen, script, Workbench } from "../../testing/workbench.ts";
import { createVersionStore } from "./version-store.ts";
import { versionQueries } from "./versions-queries.ts";

let server: TestServer;
let bench: Workbench;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  bench = await Workbench.open(server);
  node = await bench.node(script("print('one')"));
  return () => bench.close();
});

const versions = () => versionsOf(bench.owner, bench.graphId);
const reasons = async () => (await versions().list()).map(({ reason }) => reason);
const store = () => createVersionStore(server.db);
const automatic = () => automaticVersionsIn(server.db);
const count = async (table: "version_parts" | "loose_parts" | "graph_versions" | "graph_origins") => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(server.db);
  return Number(rows[0]?.count);
};
const rename = (name: string) => bench.owner.patch(`/api/v3/objects/${node}`, { name });

describe("an automatic version", () => {
  it("is made of what a run was given, once for each revision", async () => {
    // A server that has just started may make one for the hour of work, too.
    const ofRuns = async () => (await versions().list()).filter(({ reason }) => reason === "run");
    await bench.start();
    await rename("First");
    await bench.run();
    await expect.poll(ofRuns).toHaveLength(1);
    await bench.run();
    await rename("Other");
    await bench.run();
    await expect.poll(ofRuns).toHaveLength(2);
    await bench.run();
    const runs = async () => (await ofRuns()).map((version) => version.runs);
    await expect.poll(runs).toEqual([2, 2]);
    const [second, first] = await ofRuns();
    expect(second?.time_last_run).not.toBeNull();
    expect(second?.author?.username).toBe(bench.owner.account.username);
    expect((await versions().graph(first?.id ?? "")).nodes[node]?.name).toBe("First");
    expect((await versions().graph(second?.id ?? "")).nodes[node]?.name).toBe("Other");
  });

  it("is announced to everybody in the workflow, as named ones are, and to nobody else", async () => {
    const stranger = await server.signUp();
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    const refused = listen(server, stranger, bench.graphId);
    await expect(refused).rejects.toThrow("Workflow not found.");
    const announced = () => bench.listener.all("update[VERSIONS]").length;
    await versions().made("First");
    await expect.poll(announced).toBe(1);
    await versions().remove(1);
    await expect.poll(announced).toBe(2);
    await bench.start();
    await bench.run();
    await expect.poll(announced).toBe(3);
    expect(bench.listener.all("update[VERSIONS]")[0]).toEqual({ graph_id: bench.graphId });
  });

  it("is not made when a named version is of the same revision", async () => {
    await versions().made("First");
    await bench.start();
    await bench.run();
    await rename("Other");
    await bench.run();
    await expect.poll(reasons).toEqual(["run", "named"]);
  });

  it("is made of the source of a clone, and the clone knows what both have in common", async () => {
    const copy = (
      await bench.owner.post(`/api/v3/graphs/${bench.graphId}/clone`, { to_project: bench.projectId })
    ).json<{ id: string }>();
    expect(await reasons()).toEqual(["clone"]);
    const origin = await server.db
      .selectFrom("graph_origins")
      .selectAll()
      .where("graph_id", "=", copy.id)
      .executeTakeFirstOrThrow();
    expect(origin.origin_id).toBe(bench.graphId);
    const base = await store().readParts(origin.base_parts);
    const lineages = Object.values((await versionsOf(bench.owner, copy.id).graph("now")).lineages);
    expect([...base.nodes.keys()]).toEqual(lineages);
    const stranger = await server.signUp();
    const theirs = (await stranger.post("/api/v3/projects/", { name: "Mine", description: "" })).json<{ id: string }>();
    await rename("Other");
    await stranger.post(`/api/v3/graphs/${bench.graphId}/clone`, { to_project: theirs.id });
    expect(await versions().list()).toMatchObject([{ reason: "clone", author: null }, { reason: "clone" }]);
  });

  it("cannot be deleted by hand", async () => {
    await versions().made("First");
    await rename("Other");
    const { before } = await versions().restored(1);
    const refused = await versions().remove(before.id);
    expect([refused.status, refused.text]).toEqual([
      409,
      "Only a version with a number can be deleted. The others are removed automatically.",
    ]);
  });

  it("is made for an hour of work, and not again before the next hour or without a change", async () => {
    const keep = () => finishChore(automatic().keepHours());
    const anHourLater = () =>
      sql`update graph_versions set created_at = created_at - interval '61 minutes'
        where graph_id = ${bench.graphId}`.execute(server.db);
    await keep();
    expect(await reasons()).toEqual(["hour"]);
    await rename("Other");
    await keep();
    expect(await reasons()).toEqual(["hour"]);
    await anHourLater();
    await Promise.all([keep(), keep()]);
    expect(await reasons()).toEqual(["hour", "hour"]);
    await anHourLater();
    await keep();
    expect(await reasons()).toEqual(["hour", "hour"]);
  });
});

describe("thinning out", () => {
  /** An automatic version of this age, for each number of minutes. */
  async function addAged(minutes: number[], unit: "hour" | "week"): Promise<void> {
    const { parts } = (await versionQueries(server.db).newest(bench.graphId)) ?? { parts: [] };
    for (const age of minutes)
      await sql`insert into graph_versions (id, graph_id, reason, revision, node_count, edge_count, parts, created_at)
        values (gen_random_uuid(), ${bench.graphId}, 'hour', 0, 1, 0, ${parts}::bytea[],
          date_trunc(${unit}, now()) - make_interval(mins => ${age}))`.execute(server.db);
  }
  const left = async (unit: "hour" | "week") => {
    const { rows } = await sql<{ age: string }>`
      select extract(epoch from date_trunc(${unit}, now()) - created_at) / 60 as age
      from graph_versions where graph_id = ${bench.graphId} and number is null order by age`.execute(server.db);
    return rows.map(({ age }) => Math.round(Number(age)));
  };
  const [hour, day, week] = [60, 1_440, 10_080];

  it("keeps all named ones, and of automatic ones one an hour, then one a day, then one a week", async () => {
    await versions().made("First");
    await sql`update graph_versions set created_at = now() - interval '1 year' where graph_id = ${bench.graphId}`.execute(
      server.db,
    );
    // Counted back from the beginning of this hour or week, so the units begin where we expect it.
    await addAged(
      [2, 3, 4, hour + 5, hour + 6].map((minutes) => 2 * day + minutes),
      "hour",
    );
    const days = [20, 30].flatMap((days_) => [1, 60, 300].map((minutes) => days_ * day + minutes));
    const weeks = [20, 21].flatMap((weeks_) => [1, day, 3 * day].map((minutes) => weeks_ * week + minutes));
    await addAged([...days, ...weeks], "week");
    await Promise.all([finishChore(automatic().sweep()), finishChore(automatic().sweep())]);
    await finishChore(automatic().sweep());
    expect((await versions().list("?kind=named")).length).toBe(1);
    expect((await left("hour")).filter((age) => age < 3 * day)).toEqual([2 * day + 2, 2 * day + hour + 5]);
    const kept = await left("week");
    expect(kept.filter((age) => age > 19 * week)).toEqual([20 * week + 1, 21 * week + 1]);
    expect(kept.filter((age) => age > 15 * day && age < 19 * week)).toEqual([20 * day + 1, 30 * day + 1]);
  });

  it("keeps a version that a model came of, also when a person deletes it", async () => {
    const { id } = await versions().made("First");
    const { modelId } = await addVersion(server.db, bench.projectId, "tides", {
      graphId: bench.graphId,
      versionId: id,
    });
    expect((await versions().remove(1)).status).toBe(200);
    await sql`update graph_versions set created_at = date_trunc('week', now()) - make_interval(mins => ${20 * week + 2})
      where id = ${id}`.execute(server.db);
    await addAged([20 * week + 1], "week");
    await finishChore(automatic().sweep());
    expect(await left("week")).toEqual([20 * week + 1, 20 * week + 2]);
    const model = (await bench.owner.get(`/api/v3/models/${modelId}/versions/1`)).json<ModelVersion>();
    expect(model.workflow?.version).toEqual({ id, number: null, name: "" });
  });

  it("keeps everything of the last day", async () => {
    await sql`insert into graph_versions (id, graph_id, reason, revision, node_count, edge_count, parts, created_at)
      select gen_random_uuid(), ${bench.graphId}, 'run', 0, 1, 0, '{}', now() - make_interval(mins => n)
      from generate_series(1, 50) as n`.execute(server.db);
    await finishChore(automatic().sweep());
    expect((await versions().list("?kind=automatic")).length).toBe(50);
  });
});

describe("a part that no version uses", () => {
  const age = async () => {
    await sql`update version_parts set created_at = created_at - interval '2 days'`.execute(server.db);
    await sql`update loose_parts set since = since - interval '2 days'`.execute(server.db);
  };
  const sweep = () => finishChore(automatic().sweep());

  it("is removed a day later, and one that another version uses stays", async () => {
    await versions().made("First");
    await versions().made("The same");
    await rename("Other");
    await versions().made("Second");
    const parts = await count("version_parts");
    await versions().remove(1);
    await versions().remove(3);
    await sweep();
    expect(await count("version_parts")).toBe(parts);
    await age();
    await sweep();
    expect([await count("version_parts"), await count("loose_parts")]).toEqual([parts - 1, 0]);
    expect((await versions().graph(2)).nodes[node]?.name).toBe("Node");
  });

  it("stays when a version that is being made uses it again at that moment", async () => {
    const content = sampleContent([sampleNode(7)]);
    const first = await versions().made("First");
    await server.db.transaction().execute(async (trx) => {
      const parts = await store().storeContent(trx, content);
      await sql`update graph_versions set parts = ${parts}::bytea[] where id = ${first.id}`.execute(trx);
    });
    await versions().remove(1);
    await age();
    // It is stored again by a transaction that ends only after the removal.
    let parts: Buffer[] = [];
    let removal: Promise<void> | undefined;
    await server.db.transaction().execute(async (trx) => {
      parts = await store().storeContent(trx, content);
      removal = sweep();
      await sql`select pg_sleep(0.3)`.execute(trx);
      await versionQueries(trx).insertAutomatic({
        ...{ id: first.id, graph_id: bench.graphId, reason: "run", author_id: null },
        ...{ revision: 1, node_count: 1, edge_count: 0, parts },
      });
    });
    await removal;
    expect([...(await store().readParts(parts)).nodes.values()].map(({ name }) => name)).toEqual(["Node 7"]);
  });

  it("never vanishes while versions are made, deleted and swept at once", async () => {
    const names = ["A", "B", "C"];
    const isOver = { value: false };
    async function keepSweeping(): Promise<void> {
      while (!isOver.value) {
        await age();
        await sweep();
      }
    }
    async function work(): Promise<void> {
      for (let round = 0; round < 12; round++) {
        await rename(names[round % names.length] ?? "");
        const { number } = await versions().made(`Round ${round}`);
        if (round % 2 === 0) await versions().remove(number ?? 0);
      }
      isOver.value = true;
    }
    await Promise.all([keepSweeping(), work()]);
    for (const { id } of await versions().list())
      expect(Object.keys((await versions().graph(id)).nodes)).toHaveLength(1);
  });

  it("makes its version fail with clear words when it is damaged or missing, and other versions work", async () => {
    await versions().made("First");
    const { parts } = (await versionQueries(server.db).newest(bench.graphId)) ?? { parts: [] };
    await rename("Other");
    await versions().made("Second");
    const words = [500, "A part of this version cannot be read. Nothing was changed."];
    await sql`update version_parts set content = 'broken' where hash = any(${parts}::bytea[])`.execute(server.db);
    for (const answer of [await versions().get("1/graph"), await versions().restore(1)])
      expect([answer.status, answer.text]).toEqual(words);
    await sql`delete from version_parts where hash = any(${parts}::bytea[])`.execute(server.db);
    const missing = await versions().get("1/graph");
    expect([missing.status, missing.text]).toEqual(words);
    expect((await versions().graph(2)).nodes[node]?.name).toBe("Other");
    await rename("Node");
    const third = (await versions().create("Third")).json<Version>();
    expect((await versions().graph(third.number ?? 0)).nodes[node]?.name).toBe("Node");
  });
});

describe("the versions of a deleted project", () => {
  it("are removed in batches with everything else of it", async () => {
    await versions().made("First");
    await bench.owner.post(`/api/v3/graphs/${bench.graphId}/clone`, { to_project: bench.projectId });
    const own = async () => {
      const { rows } = await sql<{ count: number }>`
        select (select count(*) from graph_versions where graph_id = ${bench.graphId})
          + (select count(*) from node_edits where graph_id = ${bench.graphId}) as count`.execute(server.db);
      return Number(rows[0]?.count);
    };
    expect(await own()).toBeGreaterThan(0);
    expect((await bench.owner.delete(`/api/v3/projects/${bench.projectId}`)).status).toBe(200);
    const queries = deletedProjectQueries(server.db);
    await expect.poll(async () => ((await queries.removeBatch(1)) ? "more" : own())).toBe(0);
  });
});
