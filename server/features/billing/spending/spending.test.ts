import { getCredits, sumCredits, writeCredits } from "@miranda/contract/billing/credits.ts";
import { runArgs } from "@miranda/contract/command-args.ts";
import type {
  LedgerPage,
  SamplePage,
  SpendingDays,
  SpendingOfSession,
  SpendingParts,
  SpendingSummary,
} from "@miranda/contract/schemas/billing/spending.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addEndedSession, booksOf, bookUsage } from "../../../testing/billing.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { script, Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

const ledgerOf = async (person: TestAccount, query = "") =>
  (await person.get(`/api/v3/billing/ledger?${query}`)).json<LedgerPage>();
const daysOf = async (person: TestAccount, query: string) =>
  (await person.get(`/api/v3/billing/days?${query}`)).json<SpendingDays>();

describe("what a session cost", () => {
  it("is the same to the last digit in samples, runs, nodes, session, ledger and balance", async () => {
    const bench = await Workbench.open(server);
    const { owner } = bench;
    await bench.node(script("import time", "time.sleep(0.6)"), "Train");
    await bench.node(script("import time", "time.sleep(0.3)"), "Test");
    await bench.start();
    for (const round of [1, 2]) {
      await bench.send("run", runArgs({ mode: "all" }));
      await expect
        .poll(
          async () =>
            (await owner.get(`/api/v3/runs?graph_id=${bench.graphId}&state=done`)).json<{ runs: object[] }>().runs,
        )
        .toHaveLength(round);
    }
    await bench.until("stop", "", "EXITED");
    const at = `/api/v3/billing/sessions/${bench.jobId}`;
    const session = (await owner.get(at)).json<SpendingOfSession>();
    const { samples } = (await owner.get(`${at}/samples?limit=1000`)).json<SamplePage>();
    const exact = (amounts: string[]): string => writeCredits(sumCredits(amounts.map(getCredits)));
    expect(getCredits(session.cost)).toBeGreaterThan(0n);
    expect(exact(samples.map(({ cost }) => cost))).toBe(session.cost);
    expect(session.paid).toBe(session.cost);
    expect(exact([...session.runs.map(({ cost }) => cost), session.between ?? ""])).toBe(session.cost);
    for (const run of session.runs) {
      const stored = samples.filter((sample) => sample.run === run.number).map(({ cost }) => cost);
      expect(exact(stored)).toBe(run.cost);
      expect(run.nodes.map(({ name }) => name).toSorted()).toEqual(["Test", "Train"]);
      expect(exact(run.nodes.map(({ cost }) => cost))).toBe(run.cost);
    }
    const { entries, sum } = await ledgerOf(owner, "kind=usage");
    expect(exact(entries.map(({ amount }) => amount))).toBe(sum);
    expect(sum).toBe(`-${session.cost}`);
    expect(entries[0]).toMatchObject({ source: "session", person: owner.account.username, session_id: bench.jobId });
    expect(Date.parse(session.time_started ?? "")).toBeGreaterThan(Date.now() - 600_000);
    expect(entries[0]?.time_started).toBe(session.time_started);
    const [credits, booked] = await booksOf(server.db, { account: owner.account.id });
    expect(credits).toBe(booked);
    expect(exact([credits, session.cost])).toBe("100.000000000");
    const { balance, month } = (await owner.get("/api/v3/billing")).json<SpendingSummary>();
    expect(balance).toBe(credits);
    expect(month.spent).toBe(session.cost);
    bench.close();
  }, 60_000);

  /** Ended runs of a session, with numbers from `first`. */
  const addRuns = (jobId: string, graphId: string, payerId: string | null, [first, last]: [number, number]) =>
    sql`insert into runs (id, graph_id, job_id, session_tag, session_name, number, command, mode, graph_revision, state, cost,
        payer_id, first_line, ended_at)
      select gen_random_uuid(), ${graphId}, ${jobId}, 1, 'Flow', at, at, 'all', 1, 'done', 0.001, ${payerId}::uuid, 1, now()
      from generate_series(${first}::integer, ${last}::integer) as at`.execute(server.db);

  it("while idle is right for sessions with more runs than are listed", async () => {
    const { id } = await buildProject(cast);
    const [graph, { owner }] = [await buildGraph(cast, id), cast];
    const job = await addEndedSession(server.db, owner.account.id, graph, "2");
    await addRuns(job, graph, null, [1, 1_250]);
    const spent = { accountId: owner.account.id, projectId: id, jobId: job, at: "2026-07-01T12:00:00Z" };
    await bookUsage(server.db, { ...spent, amount: "2" });
    const session = (await owner.get(`/api/v3/billing/sessions/${job}`)).json<SpendingOfSession>();
    expect(session).toMatchObject({ cost: "2.000000000", between: "0.750000000", run_count: 1_250 });
    expect([session.runs.length, session.runs[0]?.number]).toEqual([1_000, 1_250]);
  });

  it("lists for each person the runs that they paid for, also for the owner of the session", async () => {
    const { id } = await buildProject(cast);
    const [graph, { owner, stranger }] = [await buildGraph(cast, id), cast];
    const job = await addEndedSession(server.db, owner.account.id, graph, "0.005");
    const spent = { projectId: id, jobId: job, at: "2026-07-01T12:00:00Z" };
    await addRuns(job, graph, null, [1, 1]);
    await addRuns(job, graph, owner.account.id, [2, 2]);
    await addRuns(job, graph, stranger.account.id, [3, 5]);
    await bookUsage(server.db, { ...spent, accountId: owner.account.id, amount: "0.002" });
    await bookUsage(server.db, { ...spent, accountId: stranger.account.id, amount: "0.003", source: "call" });
    const seen = async (person: TestAccount, at = "/api/v3/billing") => {
      const { paid, runs, run_count } = (await person.get(`${at}/sessions/${job}`)).json<SpendingOfSession>();
      return [paid, runs.map(({ number }) => number), run_count];
    };
    expect(await seen(owner)).toEqual(["0.002000000", [2, 1], 2]);
    expect(await seen(stranger)).toEqual(["0.003000000", [5, 4, 3], 3]);
    expect(await seen(owner, `/api/v3/projects/${id}/billing`)).toEqual(["0.005000000", [5, 4, 3, 2, 1], 5]);
  });
});

describe("spend per day", () => {
  it("uses days of the person's time zone, also when the clocks change", async () => {
    const person = await server.signUp();
    const accountId = person.account.id;
    // In Zurich 2026-03-29 has 23 hours and 2026-10-25 has 25.
    for (const [at, amount] of [
      ["2026-03-28T22:45:00Z", "1"],
      ["2026-03-28T23:00:00Z", "2"],
      ["2026-03-29T21:45:00Z", "4"],
      ["2026-03-29T22:00:00Z", "8"],
      ["2026-10-24T21:45:00Z", "16"],
      ["2026-10-24T22:00:00Z", "32"],
      ["2026-10-25T22:45:00Z", "64"],
      ["2026-10-25T23:00:00Z", "128"],
    ] as const)
      await bookUsage(server.db, { accountId, at, amount });
    const amounts = async (zone: string, from: string, to: string) =>
      (await daysOf(person, `zone=${zone}&from=${from}&to=${to}`)).days.map(({ amounts: [amount] }) => Number(amount));
    expect(await amounts("Europe/Zurich", "2026-03-28", "2026-03-30")).toEqual([1, 6, 8]);
    expect(await amounts("Europe/Zurich", "2026-10-24", "2026-10-26")).toEqual([16, 96, 128]);
    expect(await amounts("UTC", "2026-03-28", "2026-03-30")).toEqual([3, 12, 0]);
    // Nepal is 5 hours and 45 minutes ahead.
    expect(await amounts("Asia/Kathmandu", "2026-03-29", "2026-03-30")).toEqual([3, 12]);
    const page = await ledgerOf(person, "zone=Europe/Zurich&from=2026-10-25&to=2026-10-25&kind=usage");
    expect(page.entries.map(({ day }) => day)).toEqual(["2026-10-25"]);
    expect(page.sum).toBe("-96.000000000");
  });

  it("is divided by project, workflow, person and kind; small parts are added to one", async () => {
    const person = await server.signUp();
    const accountId = person.account.id;
    const at = "2026-05-05T12:00:00Z";
    for (let number = 1; number <= 9; number++)
      await bookUsage(server.db, {
        ...{ accountId, at, amount: `${number}`, projectId: crypto.randomUUID(), projectName: `Project ${number}` },
        ...{ source: number > 5 ? "call" : "schedule", personId: number > 5 ? null : accountId },
      });
    const by = async (grouping: string) =>
      (await daysOf(person, `from=2026-05-01&to=2026-05-31&by=${grouping}`)).parts.map(({ name, amount, isRest }) => [
        ...[name, Number(amount), isRest],
      ]);
    expect(await by("project")).toEqual([
      ...[9, 8, 7, 6, 5, 4].map((number) => [`Project ${number}`, number, false]),
      ["", 6, true],
    ]);
    expect(await by("person")).toEqual([
      ["", 30, false],
      [person.account.username, 15, false],
    ]);
    expect(await by("kind")).toEqual([
      ["call", 30, false],
      ["schedule", 15, false],
    ]);
    expect(await by("workflow")).toEqual([["", 45, false]]);
    const partsOf = async (query: string) => {
      const answer = await person.get(`/api/v3/billing/parts?from=2026-05-01&to=2026-05-31&${query}`);
      const { parts, next } = answer.json<SpendingParts>();
      return [parts.map(({ name, amount }) => `${name}: ${Number(amount)}`), next];
    };
    expect(await partsOf("by=project&limit=4&after=4")).toEqual([[5, 4, 3, 2].map((n) => `Project ${n}: ${n}`), 8]);
    expect(await partsOf("by=project&limit=4&after=8")).toEqual([["Project 1: 1"], null]);
    expect(await partsOf("by=project&search=PROJECT 2")).toEqual([["Project 2: 2"], null]);
    // What belongs to nobody cannot be chosen. Signs of patterns have no meaning.
    expect(await partsOf("by=person")).toEqual([[`${person.account.username}: 15`], null]);
    expect(await partsOf("by=project&search=%25")).toEqual([[], null]);
    expect(await partsOf("by=project&source=call&search=project 2")).toEqual([[], null]);
    const refused = await person.get(`/api/v3/billing/parts?search=${"x".repeat(201)}`);
    expect([refused.status, refused.text]).toEqual([400, "search can have at most 200 characters."]);
    const filtered = await daysOf(person, "from=2026-05-05&to=2026-05-05&source=schedule");
    expect(filtered).toMatchObject({ total: "15.000000000", days: [{ day: "2026-05-05" }] });
  });
});

describe("the ledger", () => {
  it("comes in pages with each entry once, and has the same entries as CSV", async () => {
    const person = await server.signUp();
    const accountId = person.account.id;
    for (let hour = 0; hour < 60; hour++) {
      const at = new Date(Date.UTC(2026, 5, 1, hour * 5)).toISOString();
      await bookUsage(server.db, {
        accountId,
        at,
        amount: "0.1",
        projectId: crypto.randomUUID(),
        projectName: '=1+1,"x"',
      });
    }
    const seen: string[] = [];
    let after: string | null = "";
    while (after !== null) {
      const page: LedgerPage = await ledgerOf(person, `kind=usage&limit=7${after && `&after=${after}`}`);
      seen.push(...page.entries.map(({ key }) => key));
      expect(page.sum).toBe("-6.000000000");
      after = page.next;
    }
    expect(new Set(seen).size).toBe(60);
    expect(seen).toEqual(seen.toSorted((a, b) => (order(a) < order(b) ? 1 : -1)));
    const csv = await person.get("/api/v3/billing/ledger.csv?kind=usage");
    const lines = csv.text.trimEnd().split("\r\n");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(lines).toHaveLength(61);
    expect(lines[1]).toContain(`,"'=1+1,""x""",`);
    expect(lines[1]).toContain(",-0.100000000,account,");
  });

  it("refuses invalid queries, and shows nobody others' entries for their page key", async () => {
    const person = await server.signUp();
    const other = await server.signUp();
    await bookUsage(server.db, { accountId: person.account.id, at: "2026-06-01T12:00:00Z", amount: "1" });
    const refused = async (query: string) => {
      const { status, text } = await person.get(`/api/v3/billing/ledger?${query}`);
      return [status, text];
    };
    expect(await refused("kind=theft")).toEqual([
      400,
      "kind must be usage, grant, trial, opening, fill, return or correction.",
    ]);
    expect(await refused("from=yesterday")).toEqual([400, "from must be a day such as 2026-11-17."]);
    expect(await refused("to=2026-02-30")).toEqual([400, "to must be a day such as 2026-11-17."]);
    expect(await refused("project=1")).toEqual([400, "That is not a valid id."]);
    expect(await refused("zone=Mars/Olympus")).toEqual([400, "That time zone is not known."]);
    expect(await refused("zone=%2B02:00")).toEqual([400, "That time zone is not known."]);
    expect(await refused("after=2026-06-01_x")).toEqual([400, "That page key cannot be read."]);
    // The database has neither of these days.
    expect(await refused("from=0000-01-01")).toEqual([400, "from must be a day such as 2026-11-17."]);
    for (const key of ["9999-99-99_1", "0000-01-01_1", "2026-02-31_1"])
      expect(await refused(`after=${key}`)).toEqual([400, "That page key cannot be read."]);
    expect((await person.get("/api/v3/billing/days?from=2020-01-01&to=2026-01-01")).text).toBe(
      "Ask for at most 366 days.",
    );
    const key = (await ledgerOf(person, "kind=usage")).entries[0]?.key;
    const mine = await ledgerOf(other, `after=${key}`);
    expect(mine.entries.every(({ kind }) => kind === "trial")).toBe(true);
  });

  it("still shows what they paid for to people who left and to owners of deleted projects", async () => {
    const { id } = await buildProject(cast, "Tides");
    const graph = await buildGraph(cast, id);
    const { owner, editor } = cast;
    const job = await addEndedSession(server.db, editor.account.id, graph, "2.5");
    const spent = {
      projectId: id,
      projectName: "Tides",
      graphId: graph,
      graphName: "Flow",
      at: "2026-07-01T12:00:00Z",
    };
    await bookUsage(server.db, { ...spent, accountId: editor.account.id, jobId: job, amount: "2.5" });
    await bookUsage(server.db, { ...spent, accountId: owner.account.id, amount: "1" });
    await owner.delete(`/api/v3/projects/${id}/members/${editor.account.id}`);
    await owner.patch(`/api/v3/projects/${id}`, { name: "Secret name" });
    expect((await editor.get(`/api/v3/projects/${id}`)).status).toBe(404);
    const entry = { project: { id, name: "Tides" }, workflow: { name: "Flow" }, amount: "-2.500000000" };
    expect((await ledgerOf(editor, "kind=usage")).entries).toMatchObject([entry]);
    const session = (await editor.get(`/api/v3/billing/sessions/${job}`)).json<SpendingOfSession>();
    expect(session).toMatchObject({ cost: "2.500000000", paid: "2.500000000", project_name: "Tides", runs: [] });
    expect((await cast.stranger.get(`/api/v3/billing/sessions/${job}`)).status).toBe(404);
    await owner.delete(`/api/v3/projects/${id}`);
    await expect
      .poll(async () => (await sql`select 1 from projects where id = ${id}`.execute(server.db)).rows, {
        timeout: 20_000,
      })
      .toEqual([]);
    expect((await ledgerOf(owner, `project=${id}`)).entries).toMatchObject([{ project: { name: "Tides" } }]);
  }, 40_000);
});

/** Keys in the order of the ledger. */
function order(key: string): string {
  const [day = "", id = ""] = key.split("_");
  return `${day} ${id.padStart(12, "0")}`;
}
