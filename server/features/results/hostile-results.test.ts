import type { WorkflowState } from "@miranda/contract/processor.ts";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { results as limits } from "../../limits.ts";
import { hashToken, newId } from "../../platform/crypto.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

// What somebody who has the token of a session can do with the results of projects.

let server: TestServer;
beforeAll(async () => {
  const { processors } = readConfig({ LOG_LEVEL: "silent" });
  server = await startTestServer({ processors: { ...processors, resultBytes: 1_000_000 } });
});
afterAll(() => server.close());

const newKey = () => randomBytes(32).toString("hex");

interface Session {
  projectId: string;
  call: (method: string, path: string, body?: string) => Promise<Response>;
  put: (key: string, content: string, query?: string) => Promise<number>;
}

async function session(bench: Workbench, state: WorkflowState = "READY", graphId = bench.graphId): Promise<Session> {
  const id = newId();
  const token = newId();
  const job = { id, tag: 1, graph_id: graphId, account_id: bench.owner.account.id, name: "Flow" };
  const seen_at = new Date(Date.now() + 3_600_000);
  await server.db
    .insertInto("jobs")
    .values({
      ...{ ...job, engine: "local", state, token_hash: hashToken(token) },
      ...{ total_cost: null, seen_at },
    })
    .execute();
  const call: Session["call"] = (method, path, body) =>
    fetch(`${server.url}/api/runner/${id}/results/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": method === "PUT" ? "application/octet-stream" : "application/json",
      },
      ...(body !== undefined && { body }),
    });
  const put: Session["put"] = async (key, content, query = "node=1&run=1&seconds=1") =>
    (await call("PUT", `${key}?${query}`, content)).status;
  return { projectId: bench.projectId, call, put };
}

const read = async ({ call }: Session, key: string) => {
  const answer = await call("GET", key);
  return [answer.status, await answer.text()];
};
const find = async ({ call }: Session, ...keys: string[]) =>
  (await call("POST", "find", JSON.stringify({ keys }))).json();
const filesOf = ({ projectId }: Session) => readdir(join(server.dataFolder, "results", projectId)).catch(() => []);
const rowsOf = async ({ projectId }: Session) =>
  server.db.selectFrom("results").select("key").where("project_id", "=", projectId).execute();

describe("a session", () => {
  it("neither finds nor reads what another project keeps, and may keep something else under its key", async () => {
    const [mine, other] = [await session(await Workbench.open(server)), await session(await Workbench.open(server))];
    const key = newKey();
    expect(await mine.put(key, "mine")).toBe(200);
    expect(await find(other, key)).toEqual({ found: {}, lost: {}, reads: {} });
    expect(await read(other, key)).toEqual([404, "It is not kept any more."]);
    expect(await other.put(key, "forged")).toBe(200);
    expect(await read(mine, key)).toEqual([200, "mine"]);
    expect(await read(other, key)).toEqual([200, "forged"]);
  });

  it("does not replace what another session of the project has kept, also at the same moment", async () => {
    const bench = await Workbench.open(server);
    const ofAnotherWorkflow = async (at: number) => {
      const form = { name: `Other ${at}`, description: "", project_id: bench.projectId };
      const { id } = (await bench.owner.post("/api/v3/graphs/", form)).json<{ id: string }>();
      return session(bench, "READY", id);
    };
    const sessions = await Promise.all([1, 2, 3, 4].map(ofAnotherWorkflow));
    const key = newKey();
    const statuses = await Promise.all(sessions.map((one, at) => one.put(key, `from ${at}`.repeat(1_000))));
    expect(statuses).toEqual([200, 200, 200, 200]);
    const [first] = sessions;
    if (!first) throw new Error("There is no session.");
    const [, kept] = await read(first, key);
    expect(kept).toMatch(/^(from \d)\1{999}$/);
    expect(await first.put(key, "later")).toBe(200);
    expect(await read(first, key)).toEqual([200, kept]);
    expect(await filesOf(first)).toHaveLength(1);
  });

  it("that has ended, or has the token of another, gets nothing", async () => {
    const bench = await Workbench.open(server);
    const [living, dead] = [await session(bench), await session(bench, "EXITED")];
    const key = newKey();
    await living.put(key, "kept");
    expect((await read(dead, key))[0]).toBeGreaterThanOrEqual(400);
    expect(await dead.put(newKey(), "x")).toBeGreaterThanOrEqual(400);
    const answer = await fetch(`${server.url}/api/runner/${newId()}/results/${key}`, {
      headers: { authorization: "Bearer forged" },
    });
    expect(answer.status).toBe(401);
    expect(await rowsOf(living)).toEqual([{ key }]);
  });

  it("writes under no name that is not a key, and no numbers that are none", async () => {
    const one = await session(await Workbench.open(server));
    for (const name of ["..%2f..%2f..%2fescaped", "A".repeat(64), "a".repeat(63), `${"a".repeat(64)}%00`, "%2e%2e"])
      expect(await one.put(name, "x")).toBeGreaterThanOrEqual(400);
    const queries = ["node=1&run=1&seconds=NaN", "node=1&run=1&seconds=1e999", "node=1e300&run=1&seconds=1"];
    for (const query of [...queries, "node=1&run=9999999999&seconds=1", "node=-1&run=1&seconds=1", ""])
      expect(await one.put(newKey(), "x", query)).toBe(400);
    expect(await filesOf(one)).toEqual([]);
    expect(await readdir(server.dataFolder)).not.toContain("escaped");
  });

  it("keeps nothing larger than half of what its project may keep", async () => {
    const one = await session(await Workbench.open(server));
    expect(await one.put(newKey(), "x".repeat(500_001))).toBe(413);
    expect(await one.put(newKey(), "x".repeat(499_999))).toBe(200);
    expect(await filesOf(one)).toHaveLength(1);
  });

  it("with many results removes those that were used least recently, however small they are", async () => {
    const one = await session(await Workbench.open(server));
    const oldest = newKey();
    await one.put(oldest, "");
    await sql`update results set used_at = now() - interval '2 days' where key = ${oldest}`.execute(server.db);
    await sql`insert into results (project_id, key, bytes, sha256, seconds, node_id, used_at)
      select ${one.projectId}, md5(at::text) || md5('x' || at), 0, '\\x00', 1, 1, now() - interval '1 day'
      from generate_series(1, ${limits.filesPerProject} - 1) as at`.execute(server.db);
    const key = newKey();
    expect(await one.put(key, "")).toBe(200);
    expect(await rowsOf(one)).toHaveLength(limits.filesPerProject);
    expect((await filesOf(one)).map((name) => name.slice(0, 64))).toEqual([key]);
  });
});
