import { RunPage } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import type { TestAccount, TestServer } from "../../testing/test-server.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { firstIdAt } from "./run-lists-queries.ts";

let server: TestServer;
let owner: TestAccount;
let editor: TestAccount;
let stranger: TestAccount;
let projectId: string;
let tides: string;
let churn: string;

interface Stored {
  graph_id?: string;
  account?: TestAccount;
  state?: "running" | "paused" | "done" | "failed" | "stopped" | "crashed" | "lost";
  began?: string;
  job_id?: string;
  session_name?: string;
}

let stored = 0;
/** A run in the database. Its id begins with its time, as real ids do. */
async function store({ graph_id = tides, account = owner, state = "done", began, ...more }: Stored): Promise<string> {
  stored += 1;
  const id = began ? `${firstIdAt(began).slice(0, 14)}7000-8000-${String(stored).padStart(12, "0")}` : newId();
  const isAlive = state === "running" || state === "paused";
  const job_id = more.job_id ?? newId();
  // A run without a session would be ended.
  if (isAlive) await storeSession(job_id, graph_id);
  await server.db
    .insertInto("runs")
    .values({
      ...{ id, graph_id, account_id: account.account.id, session_tag: 1, session_name: "Session" },
      ...{ number: 1, command: 1, mode: "all", graph_revision: 1, first_line: 1, state },
      ...{ ended_at: isAlive ? null : new Date() },
      ...more,
      job_id,
    })
    .execute();
  return id;
}

async function storeSession(id: string, graph_id: string): Promise<void> {
  const row = { id, tag: 1, graph_id, account_id: owner.account.id, name: "x", engine: "local" };
  const seen_at = new Date(Date.now() + 3_600_000);
  await server.db
    .insertInto("jobs")
    .values({ ...row, state: "READY", token_hash: null, total_cost: null, seen_at })
    .execute();
}

const list = async (query = "", who = owner): Promise<RunPage> => {
  const answer = await who.get(`/api/v3/runs?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return RunPage.parse(answer.json());
};
const ids = async (query = "", who = owner): Promise<string[]> => (await list(query, who)).runs.map(({ id }) => id);

async function graph(name: string): Promise<string> {
  const made = await owner.post("/api/v3/graphs/", { name, description: "", project_id: projectId });
  return made.json<{ id: string }>().id;
}

beforeAll(async () => {
  server = await startTestServer();
  // The first account is an administrator.
  await server.signUp();
  owner = await server.signUp("owner");
  editor = await server.signUp("editor");
  stranger = await server.signUp("stranger");
  const project = await owner.post("/api/v3/projects/", { name: "Water", description: "" });
  projectId = project.json<{ id: string }>().id;
  await owner.patch(`/api/v3/projects/${projectId}`, { visibility: "private" });
  await owner.post(`/api/v3/projects/${projectId}/members`, { user: "editor", role: "editor" });
  tides = await graph("Tide tables");
  churn = await graph("Churn");
});
afterAll(() => server.close());

describe("the list of runs", () => {
  it("has every run once, newest first, over all pages", async () => {
    const made: string[] = [];
    for (let at = 0; at < 25; at += 1) made.push(await store({ graph_id: at % 2 ? tides : churn }));
    const seen: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const page: RunPage = await list(`limit=10${after && `&after=${after}`}`);
      seen.push(...page.runs.map(({ id }) => id));
      after = page.next;
    }
    expect(seen).toEqual(made.toReversed());
  });

  it("is of a workflow, a project, a session or a version", async () => {
    const job_id = newId();
    const one = await store({ graph_id: churn, job_id });
    const other = await store({ graph_id: tides });
    expect((await ids(`graph_id=${churn}`))[0]).toBe(one);
    expect(await ids(`graph_id=${churn}`)).not.toContain(other);
    expect((await ids(`project_id=${projectId}`)).slice(0, 2)).toEqual([other, one]);
    expect(await ids(`job_id=${job_id}`)).toEqual([one]);
    expect(await ids(`version_id=${newId()}`)).toEqual([]);
  });

  it("combines state, person and dates", async () => {
    const failed = await store({ state: "failed", account: editor, began: "2026-03-05T10:00:00Z" });
    const crashed = await store({ state: "crashed", account: owner, began: "2026-03-06T10:00:00Z" });
    const done = await store({ state: "done", account: editor, began: "2026-03-07T10:00:00Z" });
    const march = "from=2026-03-01T00:00:00Z&until=2026-04-01T00:00:00Z";
    expect(await ids(march)).toEqual([done, crashed, failed]);
    expect(await ids(`${march}&state=bad`)).toEqual([crashed, failed]);
    expect(await ids(`${march}&state=crashed`)).toEqual([crashed]);
    expect(await ids(`${march}&by=EDITOR`)).toEqual([done, failed]);
    expect(await ids(`${march}&by=editor&state=failed`)).toEqual([failed]);
    expect(await ids(`${march}&by=nobody`)).toEqual([]);
    expect(await ids("from=2026-03-06T10:00:00%2B00:00&until=2026-03-07T10:00:00Z")).toEqual([crashed]);
    const alive = await store({ state: "paused" });
    expect(await ids("state=alive")).toEqual([alive]);
  });

  it("is searched by the names of workflows, people and sessions, in any case", async () => {
    const one = await store({ graph_id: churn, session_name: "Nightly 50%_off" });
    const edited = await store({ graph_id: churn, account: editor });
    expect(await ids("query=nightly")).toEqual([one]);
    expect(await ids("query=50%25_")).toEqual([one]);
    expect(await ids("query=50%25x")).toEqual([]);
    expect((await ids("query=EDITOR")).slice(0, 1)).toEqual([edited]);
    expect(await ids(`query=chu&graph_id=${churn}`)).toContain(one);
    expect(await ids(`query=ch&graph_id=${churn}`)).toContain(one);
    expect(await ids(`query=zz&graph_id=${churn}`)).toEqual([]);
    await owner.patch(`/api/v3/graphs/${churn}`, { name: "Retention" });
    expect(await ids("query=retention")).toContain(one);
    expect(await ids("query=churn&limit=1")).toEqual([]);
  });

  it.each(["", "project"])("finds words in more runs than it looks at first, over all pages %s", async (place) => {
    const word = `harbour${place}`;
    const harbour = await graph(word);
    const other = await graph("Other");
    const rare = await store({ graph_id: other, session_name: `Lighthouse ${place}` });
    // Every tenth of three thousand runs has the word, besides the oldest hundred.
    await sql`insert into runs (id, graph_id, account_id, job_id, session_tag, session_name, number, command, mode,
        graph_revision, first_line, state, ended_at)
      select (substr(${newId()}, 1, 19) || '8000-' || lpad(to_hex(n), 12, '0'))::uuid,
        case when n % 10 = 0 or n < 100 then ${harbour}::uuid else ${other}::uuid end, ${owner.account.id}::uuid,
        gen_random_uuid(), 1, 'Session', 1, 1, 'all', 1, 1, 'done', now() from generate_series(0, 2999) as n`.execute(
      server.db,
    );
    const where = place === "" ? "" : `&project_id=${projectId}`;
    const seen: string[] = [];
    for (let after: string | null = ""; after !== null;) {
      const page: RunPage = await list(`query=${word}&limit=100${where}${after && `&after=${after}`}`);
      seen.push(...page.runs.map(({ id }) => id));
      after = page.next;
    }
    const { rows } = await sql<{
      id: string;
    }>`select id from runs where graph_id = ${harbour} order by id desc`.execute(server.db);
    expect(seen).toEqual(rows.map(({ id }) => id));
    expect(seen).toHaveLength(390);
    expect(await ids(`query=lighthouse%20${place}${where}`)).toEqual([rare]);
    expect(await ids(`query=lighthouses${where}`)).toEqual([]);
  });

  it("has one's own runs and those of one's projects, and nobody else's", async () => {
    const mine = await store({});
    expect(await ids("", editor)).toContain(mine);
    expect(await ids("", stranger)).toEqual([]);
    expect(await ids("query=tide", stranger)).toEqual([]);
    expect(await ids("by=owner", stranger)).toEqual([]);
    for (const query of [`graph_id=${tides}`, `project_id=${projectId}`])
      expect((await stranger.get(`/api/v3/runs?${query}`)).status).toBe(404);
    const { session } = (await list("limit=1")).runs[0] ?? {};
    expect(await ids(`job_id=${session?.id}`)).toHaveLength(1);
    expect(await ids(`job_id=${session?.id}`, stranger)).toEqual([]);
    expect(await ids(`after=${mine.replace(/.$/, "f")}&limit=500`, stranger)).toEqual([]);
    expect(await ids(`job_id=${session?.id}&query=tide&state=done`, stranger)).toEqual([]);
  });

  it.each([
    ["query=%25", "query=_", "query=%5C", "query=%27%20or%20true--"],
    ["query=%00", "by=%00", "query=a%00bc", "query=%ED%A0%80abc", "query=%F0%9F%8C%8A%F0%9F%8C%8A%F0%9F%8C%8A"],
    ["from=0001-01-01T00:00:00Z", "until=9999-12-31T23:59:59.999Z", "from=2026-01-01T00:00:00.123456789123Z"],
    ["from=2026-01-01T00:00:00%2B23:59", "after=ffffffff-ffff-ffff-ffff-ffffffffffff"],
    ["after=00000000-0000-0000-0000-000000000000", "job_id=00000000-0000-0000-0000-000000000000"],
  ])("answers odd questions: %s", async (...questions) => {
    for (const question of questions)
      for (const place of ["", `&graph_id=${tides}`, `&project_id=${projectId}`]) {
        const { status } = await owner.get(`/api/v3/runs?${question}${place}`);
        expect([question, place, [200, 400].includes(status)]).toEqual([question, place, true]);
      }
  });

  it("has no body when nothing has changed", async () => {
    const first = await owner.get("/api/v3/runs?limit=5");
    const etag = first.headers.get("etag") ?? "";
    expect((await owner.send("GET", "/api/v3/runs?limit=5", undefined, { "if-none-match": etag })).status).toBe(304);
    await store({});
    expect((await owner.send("GET", "/api/v3/runs?limit=5", undefined, { "if-none-match": etag })).status).toBe(200);
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=many", "limit"],
    ["after=yesterday", "That is not a valid id."],
    ["graph_id=x", "That is not a valid id."],
    ["state=great", "state"],
    ["from=yesterday", "from must be a date and a time as ISO 8601 writes them."],
    ["until=2026-02-30", "until must be a date and a time as ISO 8601 writes them."],
    [`query=${"x".repeat(300)}`, "query"],
  ])("refuses %.40s", async (query, words) => {
    const answer = await owner.get(`/api/v3/runs?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
  });
});
