import { runArgs } from "@miranda/contract/command-args.ts";
import type { RunDetails } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { listRuns, versionedRun } from "../../testing/runs.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { automaticVersionsIn, versionsOf } from "../../testing/versions/versions.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  bench = await Workbench.open(server);
  node = await bench.node(script("print('old')"), "Old");
  await bench.start();
});
afterEach(() => bench.close());

const repeat = (runId: string) => bench.send("run", runArgs({ mode: "changed", repeats: runId }));
const codeOf = async ({ id }: Pick<RunDetails, "id">): Promise<string | undefined> => {
  const answer = await bench.owner.get(`/api/v3/runs/${id}/graph`);
  return answer.json<{ nodes: Record<number, { source_code: string }> }>().nodes[node]?.source_code;
};
const printed = async (text: string) => (await bench.lines()).filter(([, line]) => line === text).length;

describe("the version of a run", () => {
  it("is what the run was given, for each of several runs", async () => {
    for (const text of ["one", "two", "three"]) {
      await bench.code(node, script(`print('${text}')`));
      await bench.run();
    }
    await expect.poll(async () => (await listRuns(bench)).filter(({ version }) => version === null)).toEqual([]);
    const runs = await listRuns(bench);
    const codes = await Promise.all(runs.map(codeOf));
    expect(codes.map((code) => /print\('(\w+)'\)/.exec(code ?? "")?.[1])).toEqual(["three", "two", "one"]);
    expect(new Set(runs.map(({ graph_revision }) => graph_revision)).size).toBe(3);
    const [last] = runs;
    const query = `&version_id=${last?.version?.id}`;
    expect((await listRuns(bench, query)).map(({ id }) => id)).toEqual([last?.id]);
  });

  it("is not thinned out while the run is stored", async () => {
    await bench.run();
    const run = await versionedRun(bench);
    await bench.code(node, script("print('new')"));
    await bench.run();
    await versionedRun(bench);
    const versions = () => server.db.selectFrom("graph_versions").select("id").where("graph_id", "=", bench.graphId);
    const sweep = automaticVersionsIn(server.db);
    await sql`update graph_versions set created_at = created_at - interval '200 days' where graph_id = ${bench.graphId}`.execute(
      server.db,
    );
    await finishChore(sweep.sweep());
    expect(await versions().execute()).toHaveLength(2);
    expect(await codeOf(run)).toContain("old");
    await bench.owner.delete(`/api/v3/runs/${run.id}`);
    await sql`update graph_versions set thinned = 0 where graph_id = ${bench.graphId}`.execute(server.db);
    await finishChore(sweep.sweep());
    expect(await versions().execute()).toHaveLength(1);
  });

  it("stays for the run when a person deletes it by its number", async () => {
    const versions = versionsOf(bench.owner, bench.graphId);
    await versions.made("Named");
    await bench.run();
    const run = await versionedRun(bench);
    expect(run.version).toMatchObject({ number: 1, name: "Named" });
    expect((await versions.remove(1)).status).toBe(200);
    expect((await versions.list("?kind=named")).map(({ name }) => name)).toEqual([]);
    expect(await codeOf(run)).toContain("old");
    expect((await versionedRun(bench)).version).toMatchObject({ id: run.version?.id, number: null, name: "" });
  });
});

describe("running exactly so again", () => {
  it("runs what was run, not what the workflow is now, and changes nothing of it", async () => {
    await bench.run();
    const first = await versionedRun(bench);
    await bench.code(node, script("print('new')"));
    expect((await bench.owner.delete(`/api/v3/objects/${node}`)).status).toBe(200);
    await bench.until("run", runArgs({ mode: "changed", repeats: first.id }), "READY");
    const again = await versionedRun(bench);
    expect(again).toMatchObject({ number: 2, state: "done", mode: "all", repeats: first.id, version: first.version });
    expect(again.graph_revision).toBe(first.graph_revision);
    expect(again.run_nodes).toMatchObject([{ wob_key: node, name: "Old", status: "done" }]);
    expect(await printed("old")).toBe(2);
    const graph = (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/graph`)).json<{ nodes: object }>();
    expect(Object.keys(graph.nodes)).toEqual([]);
  });

  it("leaves unsaved code unsaved", async () => {
    await bench.run();
    const first = await versionedRun(bench);
    const socket = await connect(server, bench.owner);
    await socket.enter(bench.graphId);
    const code = new SharedCode(node);
    expect(await code.open(socket)).toBe(null);
    await until(() => code.epoch !== null, "no document came");
    code.type(0, "# typed\n");
    const drafts = async () =>
      (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/drafts`)).json<unknown[]>().length;
    await expect.poll(drafts).toBe(1);
    await bench.until("run", runArgs({ mode: "changed", repeats: first.id }), "READY");
    expect(await drafts()).toBe(1);
    expect(await printed("old")).toBe(2);
    socket.close();
  });

  it("refuses a run that is unknown, of another workflow, or without a version, and runs nothing", async () => {
    await bench.run();
    const run = await versionedRun(bench);
    const refused = async (id: string) => {
      const { status, text } = await repeat(id);
      return [status, text];
    };
    expect(await refused(newId())).toEqual([404, "Run not found."]);
    for (const none of ["yesterday", "-".repeat(36), newId().replaceAll("-", "0")])
      expect((await refused(none))[0]).toBe(400);
    const other = await Workbench.open(server);
    await other.node(script("pass"));
    await other.start();
    const foreign = await other.send("run", runArgs({ mode: "changed", repeats: run.id }));
    expect(foreign.status).toBe(404);
    other.close();
    await server.db.updateTable("runs").set({ version_id: null }).where("id", "=", run.id).execute();
    expect(await refused(run.id)).toEqual([409, "What this run was given is not stored."]);
    const check = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/run-check`, {
      args: runArgs({ mode: "changed", repeats: run.id }),
    });
    expect(check.status).toBe(409);
    expect(await listRuns(bench)).toHaveLength(1);
    expect((await bench.job()).workflow_state).toBe("READY");
  });
});
