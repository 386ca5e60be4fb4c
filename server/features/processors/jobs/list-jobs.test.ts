import type { Job, JobsResponse } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sessionList } from "../../../limits.ts";
import { newId } from "../../../platform/crypto.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

interface Place {
  projectId: string;
  graphId: string;
}

async function makeProject(owner: TestAccount, visibility = "private"): Promise<Place> {
  const project = await owner.post("/api/v3/projects/", { name: "Tides" });
  const projectId = project.json<{ id: string }>().id;
  await owner.patch(`/api/v3/projects/${projectId}`, { visibility });
  const graph = await owner.post("/api/v3/graphs/", { project_id: projectId, name: "Clean" });
  return { projectId, graphId: graph.json<{ id: string }>().id };
}

interface Rows {
  account: TestAccount;
  graphId: string;
  state?: "EXITED" | "ERROR";
  description?: string;
}

/** Sessions as the database has them, the lowest id first. Ids of one millisecond are in no order. */
async function addSessions(
  count: number,
  { account, graphId, state = "EXITED", description = "" }: Rows,
): Promise<string[]> {
  const ids = Array.from({ length: count }, newId).toSorted();
  const row = { tag: 1, graph_id: graphId, account_id: account.account.id, name: "Clean", engine: "local" };
  const ended_at = new Date();
  await server.db
    .insertInto("jobs")
    .values(ids.map((id) => ({ ...row, id, description, state, ended_at, token_hash: null, total_cost: null })))
    .execute();
  return ids;
}

const read = (account: TestAccount, query = "") => account.get(`/api/v3/jobs?log_lines=1&${query}`);
const list = async (account: TestAccount, query = "") => (await read(account, query)).json<JobsResponse>();
const idsOf = (jobs: Job[]) => jobs.map(({ id }) => id);
const allIds = ({ running, queued, errored, exited }: JobsResponse) =>
  idsOf([...running, ...queued, ...errored, ...exited]);

describe("the list of sessions", () => {
  it("has a running session although 2,000 newer ones have ended", async () => {
    const bench = await Workbench.open(server);
    await bench.start();
    const ended = await addSessions(2_000, { account: bench.owner, graphId: bench.graphId });
    const first = await list(bench.owner);
    expect(idsOf(first.running)).toEqual([bench.jobId]);
    expect(idsOf(first.exited)).toEqual(ended.toReversed().slice(0, 100));
    const ofGraph = await list(bench.owner, `graph_id=${bench.graphId}`);
    expect([idsOf(ofGraph.running), ofGraph.exited.length, ofGraph.next]).toEqual([[bench.jobId], 100, ended.at(-100)]);
    expect((await bench.owner.get(`/api/v3/graphs/${bench.graphId}/processor`)).json<Job>().id).toBe(bench.jobId);
    const later = await list(bench.owner, `after=${first.next}`);
    expect(idsOf(later.running)).toEqual([bench.jobId]);
    bench.close();
  });

  it("has every ended session once, newest first, over all pages", async () => {
    const ada = await server.signUp();
    const { graphId } = await makeProject(ada);
    const made = await addSessions(25, { account: ada, graphId });
    for (const where of ["", `&graph_id=${graphId}`]) {
      const seen: string[] = [];
      const sizes: number[] = [];
      for (let next: string | null = ""; next !== null;) {
        const page: JobsResponse = await list(ada, `limit=10${next && `&after=${next}`}${where}`);
        seen.push(...idsOf(page.exited));
        sizes.push(page.exited.length);
        ({ next } = page);
      }
      expect(seen).toEqual(made.toReversed());
      expect(sizes).toEqual([10, 10, 5]);
    }
  });

  it("goes on after a session that was deleted meanwhile", async () => {
    const ada = await server.signUp();
    const { graphId } = await makeProject(ada);
    const made = await addSessions(6, { account: ada, graphId });
    const { next } = await list(ada, "limit=3");
    await server.db
      .deleteFrom("jobs")
      .where("id", "=", next ?? "")
      .execute();
    for (const where of ["", `&graph_id=${graphId}`]) {
      const rest = await list(ada, `limit=3&after=${next}${where}`);
      expect([idsOf(rest.exited), rest.next]).toEqual([made.slice(0, 3).toReversed(), null]);
    }
  });

  it.each([
    ["limit=1000000", "limit must be a whole number from 1 to 500."],
    ["limit=0", "limit must be a whole number from 1 to 500."],
    ["limit=many", "limit must be a whole number from 1 to 500."],
    ["after=yesterday", "That is not a valid id."],
  ])("refuses %s", async (query, words) => {
    const ada = await server.signUp();
    const answer = await read(ada, query);
    expect([answer.status, answer.text]).toEqual([400, words]);
  });

  it("stays below 1 MB whatever the sessions print and describe, and leaves nothing out", async () => {
    const ada = await server.signUp();
    const { graphId } = await makeProject(ada);
    const made = await addSessions(500, { account: ada, graphId, description: "🌊".repeat(20_000) });
    const entries = JSON.stringify([[1, 1, 20, 0, "x".repeat(50_000)]]);
    await server.db.updateTable("jobs").set({ last_line: 1 }).where("graph_id", "=", graphId).execute();
    const chunks = made.map((job_id) => ({ job_id, first_line: 1, lines: 1, bytes: 50_000, entries }));
    await server.db.insertInto("log_chunks").values(chunks).execute();
    const seen: string[] = [];
    for (let next: string | null = ""; next !== null;) {
      const answer = await read(ada, `limit=500${next && `&after=${next}`}`);
      expect(Buffer.byteLength(answer.text)).toBeLessThan(1_000_000);
      const page = answer.json<JobsResponse>();
      expect(page.exited[0]?.logs).toHaveLength(1);
      seen.push(...idsOf(page.exited));
      ({ next } = page);
    }
    expect(seen).toEqual(made.toReversed());
  });
});

describe("a list of too many living sessions", () => {
  it("has the newest of each group, and says which group is cut", async () => {
    // Nothing leaves the queue here.
    const processors = { ...readConfig({}).processors, engine: "local" as const, sandbox: false, most: 0 };
    const full = await startTestServer({ processors });
    const ada = await full.signUp();
    const project = (await ada.post("/api/v3/projects/", { name: "Tides" })).json<{ id: string }>();
    const waiting = Array.from({ length: sessionList.alivePerGroup + 1 }, newId).toSorted();
    const graphs = waiting.map((_, at) => ({ id: newId(), project_id: project.id, name: `Clean ${at}` }));
    await full.db
      .insertInto("graphs")
      .values(graphs.map((graph) => ({ ...graph, created_by: ada.account.id })))
      .execute();
    const row = { tag: 1, account_id: ada.account.id, name: "Clean", engine: "local", token_hash: null };
    const jobs = waiting.map((id, at) => ({ ...row, id, graph_id: graphs[at]?.id ?? null, total_cost: null }));
    await full.db
      .insertInto("jobs")
      .values(jobs.map((job) => ({ ...job, state: "QUEUED" as const })))
      .execute();
    const { queued, cut } = (await ada.get("/api/v3/jobs")).json<JobsResponse>();
    expect(idsOf(queued)).toEqual(waiting.slice(1).toReversed());
    expect(cut).toEqual(["queued"]);
    await ada.put(`/api/v3/jobs/${waiting[0]}/cancel`);
    expect((await ada.get("/api/v3/jobs")).json<JobsResponse>().cut).toEqual([]);
    await full.close();
  });
});

describe("whose sessions a person sees", () => {
  it("their own, and everybody's in projects they work on, each once", async () => {
    const [owner, member, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()];
    const { projectId, graphId } = await makeProject(owner, "public");
    const role = { user: member.account.username, role: "editor" };
    expect((await owner.post(`/api/v3/projects/${projectId}/members`, role)).status).toBe(200);
    const [byMember = ""] = await addSessions(1, { account: member, graphId });
    const [byOwner = ""] = await addSessions(1, { account: owner, graphId, state: "ERROR" });
    expect(allIds(await list(owner)).toSorted()).toEqual([byMember, byOwner].toSorted());
    expect(allIds(await list(member)).toSorted()).toEqual([byMember, byOwner].toSorted());
    expect(allIds(await list(stranger))).toEqual([]);

    await owner.delete(`/api/v3/projects/${projectId}/members/${member.account.id}`);
    await owner.patch(`/api/v3/projects/${projectId}`, { visibility: "private" });
    expect(allIds(await list(member))).toEqual([]);
  });

  it("those of a moved workflow in its new project", async () => {
    const [from, to] = [await server.signUp(), await server.signUp()];
    const here = await makeProject(from);
    const there = await makeProject(to);
    const role = { user: from.account.username, role: "editor" };
    await to.post(`/api/v3/projects/${there.projectId}/members`, role);
    const made = await addSessions(2, { account: from, graphId: here.graphId });
    expect(allIds(await list(to))).toEqual([]);
    const moved = await from.patch(`/api/v3/graphs/${here.graphId}`, { dest_parent_id: there.projectId });
    expect(moved.status).toBe(200);
    const listed = await list(to);
    expect(allIds(listed)).toEqual(made.toReversed());
    expect(listed.exited[0]?.graph).toEqual({ project_id: there.projectId, graph_id: here.graphId });
  });

  it("those of a deleted workflow only who started them", async () => {
    const [owner, member] = [await server.signUp(), await server.signUp()];
    const { projectId, graphId } = await makeProject(owner);
    await owner.post(`/api/v3/projects/${projectId}/members`, { user: member.account.username, role: "editor" });
    const made = await addSessions(1, { account: member, graphId });
    await owner.delete(`/api/v3/graphs/${graphId}`);
    expect(allIds(await list(owner))).toEqual([]);
    const listed = await list(member);
    expect(allIds(listed)).toEqual(made);
    expect(listed.exited[0]?.graph).toBe(null);
    expect((await owner.get(`/api/v3/jobs/${made[0]}`)).status).toBe(404);
  });
});
