import { errors } from "@miranda/contract/errors.ts";
import type { AuditPage } from "@miranda/contract/schemas/audit.ts";
import type { SignedInBrowser } from "@miranda/contract/schemas/auth.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast, readCells, roles } from "../../testing/access.ts";
import { inviteTo, registerInvited } from "../../testing/people/people.ts";
import { addPasskey, challenge } from "../../testing/second-factor.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  ({ id: project } = await buildProject(cast));
});
afterAll(() => server.close());

async function events(query: string, client: TestClient = cast.admin, path = "admin"): Promise<AuditPage["events"]> {
  const answer = await client.get(`/api/v3/${path}/audit?${query}`);
  expect([answer.status, answer.text.slice(0, 1)]).toEqual([200, "{"]);
  return answer.json<AuditPage>().events;
}

const sentences = async (query: string, client?: TestClient, path?: string) =>
  (await events(query, client, path)).map(({ sentence }) => sentence);

describe("the audit log", () => {
  it("says who did what in a project, to administrators and its owner", async () => {
    expect(await sentences("kind=member")).toEqual([
      "owner made viewer a viewer of Tides",
      "owner made editor an editor of Tides",
    ]);
    await cast.owner.post("/api/v3/secrets", { key: "API_KEY", value: "hunter2-value", project_id: project });
    await cast.editor.post("/api/v3/secrets", { key: "OWN", value: "hunter2-value" });
    await cast.owner.put(`/api/v3/projects/${project}/purse`, { in_use: "true" });
    await cast.owner.put(`/api/v3/projects/${project}/billing/budget`, { amount: "10", at_full: "pause", zone: "UTC" });
    await cast.owner.postJson(`/api/v3/projects/${project}/webhooks`, {
      url: "https://example.org/x?key=1",
      events: ["run_failed"],
    });
    const path = `projects/${project}`;
    expect(await sentences("", cast.owner, path)).toEqual([
      "owner added the webhook example.org to Tides",
      "owner set the monthly budget of Tides to $10.00",
      "owner decided that Tides pays for new sessions",
      "owner saved the secret API_KEY",
      "owner made viewer a viewer of Tides",
      "owner made editor an editor of Tides",
      "owner made Tides private",
      "owner created the project Tides",
    ]);
    expect(await sentences("text=api_key")).toEqual(["owner saved the secret API_KEY"]);
    expect(await sentences(`kind=secret.save&person=EDITOR`)).toEqual(["editor saved the secret OWN"]);
    expect(await sentences(`kind=secret&project_id=${project}&result=done`)).toHaveLength(1);
    expect(await sentences("kind=secret&to=2020-01-01")).toEqual([]);
    const rows = await sql<{ row: string }>`select audit_log::text as row from audit_log`.execute(server.db);
    expect(JSON.stringify(rows.rows)).not.toContain("hunter2-value");
  });

  it("shows address and browser to administrators and to the person, not to project owners", async () => {
    const visitor = {
      address: "203.0.113.7",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    };
    cast.editor.headers = { "user-agent": visitor.userAgent };
    await cast.editor.post("/api/v3/secrets", { key: "TEAM", value: "x", project_id: project });
    cast.editor.headers = {};
    const [forAdmin] = await events("text=team&kind=secret");
    expect(forAdmin).toMatchObject({ browser: "Firefox on Linux", address: "127.0.0.1" });
    const [forOwner] = await events("text=team&kind=secret", cast.owner, `projects/${project}`);
    expect(forOwner).toMatchObject({ sentence: "editor saved the secret TEAM", browser: "", address: "" });
    // Nor can an owner find an address by guessing it.
    expect((await events("text=127.0.0.1&kind=secret")).length).toBeGreaterThan(0);
    expect(await events("text=127.0", cast.owner, `projects/${project}`)).toEqual([]);
    for (const ending of [".csv", ".jsonl"]) {
      const file = (client: TestClient, text: string) =>
        client.get(`/api/v3/projects/${project}/audit${ending}?kind=secret&text=${text}`);
      expect((await file(cast.owner, "127.0")).text).not.toContain("TEAM");
      expect((await file(cast.owner, "team")).text).toContain("TEAM");
      expect((await file(cast.admin, "127.0")).text).toContain("TEAM");
    }
  });

  it("says what was changed in a team", async () => {
    const team = (await cast.owner.post("/api/v3/teams", { name: "Divers" })).json<{ id: string }>().id;
    const people = `/api/v3/teams/${team}/members`;
    await cast.owner.post(people, { user: "editor", role: "member" });
    await cast.owner.patch(`${people}/${cast.editor.account.id}`, { role: "manager" });
    await cast.owner.patch(`/api/v3/teams/${team}`, { name: "Sailors" });
    await cast.owner.delete(`${people}/${cast.editor.account.id}`);
    expect(await sentences("kind=team.change")).toEqual([
      "owner changed the team Sailors: removed editor",
      "owner changed the team Divers: renamed it to Sailors",
      "owner changed the team Divers: made editor a manager",
      "owner changed the team Divers: added editor",
    ]);
  });

  it("records sign-ins, and the name of a failed one only when an account has it", async () => {
    const visitor = server.anonymous();
    await visitor.post("/api/v3/auth", { username: "my secret password", password });
    await visitor.post("/api/v3/auth", { username: "viewer", password: "wrong one" });
    await visitor.post("/api/v3/auth", { username: "viewer", password });
    await visitor.delete("/api/v3/auth");
    expect(await events("person=viewer&kind=sign_in&result=refused")).toMatchObject([
      { sentence: "Somebody could not sign in as viewer", actor: null },
    ]);
    const all = await sentences("limit=4");
    expect(all).toEqual([
      "viewer signed out",
      "viewer signed in with a password",
      "Somebody could not sign in as viewer",
      "Somebody could not sign in as an unknown name",
    ]);
    expect(await sentences("text=secret%20password")).toEqual([]);
  });

  it("records sign-ins that a passkey did not prove, or whose account is disabled", async () => {
    const person = await server.signUp("keyholder");
    const { passkey } = await addPasskey(person, server.url);
    const visitor = server.anonymous();
    const tryWith = async (deviation = {}) => {
      const response = passkey.respond(await challenge(visitor, "passkeys/sign_in"), deviation);
      return (await visitor.postJson("/api/v3/auth/passkeys/sign_in", response)).status;
    };
    expect(await tryWith({ counter: 10 })).toBe(200);
    expect([await tryWith({ origin: "https://evil.example" }), await tryWith({ counter: 3 })]).toEqual([403, 403]);
    const disable = server.db.updateTable("accounts").set({ disabled_at: new Date() });
    await disable.where("id", "=", person.account.id).execute();
    expect(await tryWith({ counter: 11 })).toBe(403);
    const failed = await events("person=keyholder&kind=sign_in&result=refused");
    expect(failed).toMatchObject(
      [1, 2, 3].map(() => ({ sentence: "Somebody could not sign in as keyholder", address: "127.0.0.1" })),
    );
  });

  it("says from where an invitation was accepted, with and without an account", async () => {
    const { token } = await inviteTo(cast.owner, project);
    expect((await registerInvited(server, "newcomer", token).answer).status).toBe(200);
    const second = await inviteTo(cast.owner, project);
    expect((await cast.stranger.post("/api/v3/invitations/accept", { token: second.token })).status).toBe(200);
    expect(await events("kind=invitation.accept")).toMatchObject([
      { sentence: "stranger accepted an invitation to Tides", address: "127.0.0.1" },
      { sentence: "newcomer accepted an invitation to Tides", address: "127.0.0.1" },
    ]);
    await cast.owner.delete(`/api/v3/projects/${project}/members/${cast.stranger.account.id}`);
  });

  it("records that a project became private because something private was cloned into it", async () => {
    const graph = await buildGraph(cast, project);
    const form = { name: "Copies", description: "" };
    const { id } = (await cast.viewer.post("/api/v3/projects/", form)).json<{ id: string }>();
    expect((await cast.viewer.post(`/api/v3/graphs/${graph}/clone`, { to_project: id })).status).toBe(200);
    expect(await sentences(`kind=project.visibility&project_id=${id}`)).toEqual(["viewer made Copies private"]);
  });

  it("keeps the name of a deleted account", async () => {
    const leaving = await server.signUp("leaving");
    await leaving.post("/api/v3/auth/access_tokens", { web_password: password, name: "CI", scope: "read" });
    await leaving.delete("/api/v3/auth/account", { username: "leaving", password, projects: "delete" });
    expect(await sentences("person=leaving")).toEqual([
      "leaving deleted the account leaving with no project",
      "leaving created the access token CI (read)",
      "leaving registered",
    ]);
  });

  it("comes in pages, without a gap or a repetition", async () => {
    const ids: number[] = [];
    for (let after = ""; ;) {
      const page = (await cast.admin.get(`/api/v3/admin/audit?limit=3${after}`)).json<AuditPage>();
      ids.push(...page.events.map(({ id }) => id));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    const { rows } = await sql<{ id: number }>`select id from audit_log order by id desc`.execute(server.db);
    expect(ids).toEqual(rows.map(({ id }) => id));
  });

  it.each(["update audit_log set kind = 'x'", "delete from audit_log", "truncate audit_log"])(
    "cannot be changed with the role of the application: %s",
    async (statement) => {
      const count = async () =>
        (await sql<{ n: number }>`select count(*) as n from audit_log`.execute(server.db)).rows[0]?.n;
      const before = await count();
      await expect(sql.raw(statement).execute(server.db)).rejects.toThrow("The audit log cannot be changed.");
      await expect(sql.raw(`set session_replication_role = replica; ${statement}`).execute(server.db)).rejects.toThrow(
        /./,
      );
      expect(await count()).toBe(before);
    },
  );

  it("is exported as CSV that no spreadsheet runs, and as JSON lines", async () => {
    const name = `=HYPERLINK("http://evil.example/","x")`;
    const { id } = (await cast.owner.post("/api/v3/projects/", { name })).json<{ id: string }>();
    await cast.owner.post("/api/v3/secrets", { key: "K", value: "x", project_id: id });
    const csv = await cast.admin.get(`/api/v3/admin/audit.csv?project_id=${id}`);
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toContain("attachment");
    expect(csv.text).toContain(`"'=HYPERLINK(""http://evil.example/"",""x"")"`);
    expect(csv.text).not.toMatch(/(^|,)"?[=+@-]/m);
    const lines = (await cast.owner.get(`/api/v3/projects/${id}/audit.jsonl`)).text.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      ...["audit.export", "secret.save", "project.create"],
    ]);
    expect(await sentences("kind=audit&person=admin&limit=1")).toEqual([
      "admin exported the audit log of the installation",
    ]);
  });

  it.each([
    ["from=yesterday", "From must be a day such as 2026-03-31."],
    ["limit=0", "limit must be a whole number from 1 to 500."],
    ["result=maybe", "Result must be done or refused."],
    ["project_id=x", "That is not a valid id."],
  ])("refuses %s", async (query, words) => {
    const answer = await cast.admin.get(`/api/v3/admin/audit?${query}`);
    expect([answer.status, answer.text]).toEqual([400, words]);
  });
});

describe("signed-in browsers", () => {
  it("are listed in words, and signed out one by one or all but this one", async () => {
    const person = await server.signUp("roamer");
    const list = async () => (await person.get("/api/v3/auth/browsers")).json<SignedInBrowser[]>();
    const [phone, laptop] = [server.anonymous(), server.anonymous()];
    phone.headers = {
      "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1",
    };
    laptop.headers = {
      "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    };
    for (const browser of [phone, laptop]) await browser.post("/api/v3/auth", { username: "roamer", password });
    const seen = await list();
    expect(new Map(seen.map(({ browser, current }) => [browser, current]))).toEqual(
      new Map([
        ["Edge on Windows", false],
        ["Safari on iPhone", false],
        ["node", true],
      ]),
    );
    const onPhone = seen.find(({ browser }) => browser.startsWith("Safari"))?.id ?? "";
    expect((await cast.stranger.delete(`/api/v3/auth/browsers/${onPhone}`)).status).toBe(404);
    expect((await phone.get("/api/v3/auth/")).status).toBe(200);
    expect((await person.delete(`/api/v3/auth/browsers/${onPhone}`)).status).toBe(200);
    expect((await person.delete(`/api/v3/auth/browsers/${onPhone}`)).status).toBe(404);
    expect((await phone.get("/api/v3/auth/")).status).toBe(401);
    expect((await person.delete("/api/v3/auth/browsers")).status).toBe(200);
    expect((await laptop.get("/api/v3/auth/")).status).toBe(401);
    expect(await list()).toMatchObject([{ current: true }]);
    expect(await sentences("person=roamer&kind=sign_out")).toEqual([
      "roamer signed out all other browsers",
      "roamer signed out another browser: Safari on iPhone",
    ]);
  });
});

// Every cell of docs/spec/access-audit.tsv.
const cells = readCells("audit", roles);
const nobody = "00000000-0000-4000-8000-000000000000";
const reads = (path: string) => (client: TestClient) =>
  Promise.all(["", ".csv", ".jsonl"].map((ending) => client.get(`/api/v3/${path}/audit${ending}`)));
const attempts: Record<string, (client: TestClient) => Promise<Answer[]>> = {
  "audit log: read, CSV, JSON lines": reads("admin"),
  "activity of a project: read, CSV, JSON lines": (client) => reads(`projects/${project}`)(client),
  "signed-in browsers: list": async (client) => [await client.get("/api/v3/auth/browsers")],
  "signed-in browsers: sign out somebody else's": async (client) => [
    await client.delete(`/api/v3/auth/browsers/${nobody}`),
  ],
};

describe("who may read the audit log", () => {
  it.each(cells)("%s, %s: %i", async (what, role, status) => {
    const answers = await attempts[what]?.(cast[role]);
    expect(answers?.map((answer) => answer.status)).toEqual(answers?.map(() => status));
    expect(answers?.length).toBeGreaterThan(0);
    if (status === 403 && what.startsWith("audit log")) expect(answers?.[0]?.text).toBe(errors.not_admin);
  });
});
