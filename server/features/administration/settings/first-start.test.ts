import type { AdminSettings } from "@miranda/contract/schemas/admin.ts";
import type { Settings, WarningList } from "@miranda/contract/schemas/settings.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { ForgedRun } from "../../../testing/runs.ts";
import { giveToken, Workbench } from "../../../testing/workbench.ts";

// A new installation, whose administrator has answered nothing yet.

let server: TestServer;
let admin: TestAccount;
const path = "/api/v3/admin/settings";
const read = async (who = admin) => (await who.get(path)).json<AdminSettings>();
const send = async (change: object) =>
  admin.send("PATCH", path, JSON.stringify({ version: (await read()).version, ...change }), {
    "content-type": "application/json",
  });
async function change(wanted: object): Promise<AdminSettings> {
  const answer = await send(wanted);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json<AdminSettings>();
}
const accountOf = async (person: TestAccount) =>
  (await person.get("/api/v3/auth/")).json<{ account: { credits: number; trial_end: string } }>().account;

beforeAll(async () => {
  server = await startTestServer({ firstAnswers: {} });
  admin = await server.signUp("admin");
});
afterAll(() => server.close());

describe("before anything is answered", () => {
  it("registration is open, the trial is the specification's, and new projects are seen by their members", async () => {
    const settings = await read();
    expect(settings).toMatchObject({ first_start: "open", registration: "open", default_visibility: "private" });
    expect(settings).toMatchObject({ payment: "credits", trial_days: 14, trial_credits: 100, public_url: null });
    const person = await server.signUp();
    const { credits, trial_end } = await accountOf(person);
    expect(credits).toBe(100);
    expect(Math.round((Date.parse(trial_end) - Date.now()) / 86_400_000)).toBe(14);
    const { id } = (await person.post("/api/v3/projects/", { name: "Tides" })).json<{ id: string }>();
    const other = await server.signUp();
    expect((await other.get(`/api/v3/projects/${id}`)).status).toBe(404);
    expect((await person.get(path)).status).toBe(403);
  });

  it("can be put off, and answered later", async () => {
    expect((await change({ first_start: "later" })).first_start).toBe("later");
    const answered = await change({
      ...{ first_start: "done", registration: "invitation", default_visibility: "public", payment: "credits" },
      ...{ trial_days: "7", trial_credits: "12.5", public_url: "https://miranda.example.org/" },
    });
    expect(answered).toMatchObject({ first_start: "done", registration: "invitation", default_visibility: "public" });
    expect(answered).toMatchObject({ trial_days: 7, trial_credits: 12.5, public_url: "https://miranda.example.org" });
    await change({ registration: "open", public_url: "" });
    const { credits, trial_end } = await accountOf(await server.signUp());
    expect([credits, Math.round((Date.parse(trial_end) - Date.now()) / 86_400_000)]).toEqual([12.5, 7]);
  });

  it("refuses wrong answers, and changes nothing", async () => {
    const before = await read();
    for (const wrong of [
      ...[{ payment: "barter" }, { first_start: "never" }, { trial_days: 0 }, { trial_days: 1.5 }, { trial_days: "x" }],
      ...[{ trial_credits: -1 }, { trial_credits: 1e12 }, { public_url: "miranda.example.org" }],
      ...[
        { public_url: "ftp://a.example" },
        { public_url: "https://a.example/path" },
        { public_url: "https://u:p@a.example" },
      ],
    ])
      expect([wrong, (await send(wrong)).status]).toEqual([wrong, 400]);
    expect(await read()).toEqual(before);
  });
});

describe("where running is free", () => {
  it("nothing is refused or charged for lack of credits", async () => {
    await change({ payment: "free" });
    const { payment } = (await server.anonymous().get("/api/v3/settings")).json<Settings>();
    expect(payment).toBe("free");
    const bench = await Workbench.open(server);
    const poor = sql`update accounts set credits = 0, trial_end = now() - interval '1 day'
      where id = ${bench.owner.account.id}`;
    await poor.execute(server.db);
    await bench.node("from miranda import *\n\nclass A(Node):\n    def run(self):\n        pass\n", "A");
    const run = await ForgedRun.begin(server, bench);
    const usage = { kind: "usage", sample: 1, seconds: 3_600, cpu_seconds: 3_600, ram_gb: 4, run: 1 };
    expect(await run.post(usage)).toBe(200);
    expect((await accountOf(bench.owner)).credits).toBe(0);
    expect((await run.read()).cost).toBe(0);
    const { graphId } = await Workbench.open(server, bench.owner);
    expect((await bench.owner.post(`/api/v3/graphs/${graphId}/processor`, { tag: "1" })).status).toBe(200);
    const started = await bench.owner.get(`/api/v3/jobs/${run.jobId}`);
    expect(started.json<{ workflow_state: string }>().workflow_state).not.toBe("KILLING");
  });
});

describe("a trial that ends", () => {
  it("names whom to ask, and administrators see it coming", async () => {
    await change({ payment: "credits" });
    const warnings = async () => (await admin.get("/api/v3/settings/warnings")).json<WarningList>().warnings;
    const before = (await warnings()).filter(({ code }) => code.startsWith("trials"));
    expect(before).toEqual([]);
    const person = await server.signUp("soon");
    await giveToken(person);
    await sql`update accounts set trial_end = now() + interval '1 day' where id = ${person.account.id}`.execute(
      server.db,
    );
    const warning = (await warnings()).find(({ code }) => code.startsWith("trials"));
    expect(warning?.message).toContain("1 trial ends within 3 days: soon.");
    await sql`update accounts set trial_end = now() - interval '1 day' where id = ${person.account.id}`.execute(
      server.db,
    );
    const project = (await person.post("/api/v3/projects/", { name: "P" })).json<{ id: string }>();
    const graph = await person.post("/api/v3/graphs/", { name: "F", description: "", project_id: project.id });
    const { id } = graph.json<{ id: string }>();
    const refused = await person.post(`/api/v3/graphs/${id}/processor`, { tag: "1" });
    expect([refused.status, refused.text]).toEqual([
      ...[402, "Your trial has ended. Ask Admin Tester (admin@example.org) to go on."],
    ]);
  });
});

describe("what the operator answered in advance", () => {
  const given = { MIRANDA_NEW_PROJECTS: "accounts", MIRANDA_PAYMENT: "free", MIRANDA_TRIAL_DAYS: "30" };

  it("counts until an administrator has answered", async () => {
    const { firstAnswers } = readConfig(given);
    expect(firstAnswers).toMatchObject({ newProjects: "public", payment: "free", trialDays: 30 });
    const own = await startTestServer({ firstAnswers });
    try {
      const first = await own.signUp("first");
      expect(await read(first)).toMatchObject({ default_visibility: "public", payment: "free", trial_days: 30 });
      await own.db.updateTable("installation_settings").set({ first_start: "done", payment: "credits" }).execute();
      const twin = await own.twin();
      await twin.close();
      expect(await read(first)).toMatchObject({ payment: "credits" });
    } finally {
      await own.close();
    }
  });

  it("is refused when it is wrong, by its name", () => {
    expect(() => readConfig({ MIRANDA_NEW_PROJECTS: "all" })).toThrow("MIRANDA_NEW_PROJECTS");
    expect(() => readConfig({ MIRANDA_TRIAL_DAYS: "0" })).toThrow("MIRANDA_TRIAL_DAYS");
  });
});
