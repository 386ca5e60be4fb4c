import { errors } from "@miranda/contract/errors.ts";
import type { TransferOffer } from "@miranda/contract/schemas/people/transfers.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addEndedSession, bookUsage } from "../../testing/billing.ts";
import { buildFlow, deployFlow } from "../../testing/deployments/deployments.ts";
import { buildTeam, inviteTo } from "../../testing/people/people.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
});

const path = () => `/api/v3/projects/${project}/transfer`;
const accept = (person: TestAccount) => person.post(`${path()}/accept`);
const accessOf = async (person: TestAccount) => {
  const answer = await person.get(`/api/v3/projects/${project}`);
  return answer.status === 200 ? answer.json<{ project: Project }>().project.access : answer.status;
};

it("moves credits and deployments to the new owner and keeps past charges with the old one", async () => {
  const graph = await buildGraph(cast, project);
  await buildFlow(cast.owner, graph);
  const app = await deployFlow(cast.owner, graph, { name: "given-away" });
  await cast.owner.post(`/api/v3/projects/${project}/purse/fill`, { amount: "5" });
  const accountId = cast.owner.account.id;
  const jobId = await addEndedSession(server.db, accountId, graph, "1.5");
  const at = new Date().toISOString();
  await bookUsage(server.db, { accountId, projectId: project, graphId: graph, jobId, at, amount: "1.5" });
  const ledger = () => server.db.selectFrom("ledger").selectAll().orderBy("id").execute();
  const before = await ledger();

  expect((await cast.owner.post(path(), { user: "stranger" })).json()).toEqual({ state: "offered" });
  // Nothing has changed until the new owner accepts, who learns only the name.
  expect([await accessOf(cast.owner), await accessOf(cast.stranger)]).toEqual(["owner", 404]);
  const [offer] = (await cast.stranger.get("/api/v3/transfers")).json<TransferOffer[]>();
  expect(offer).toMatchObject({ project: { id: project, name: "Tides" }, from: { username: "owner" }, deployments: 1 });
  expect((await accept(cast.stranger)).status).toBe(200);

  expect([await accessOf(cast.owner), await accessOf(cast.stranger)]).toEqual(["editor", "owner"]);
  const deployment = await server.db.selectFrom("deployments").select("owner_id").where("id", "=", app.id).execute();
  expect(deployment).toEqual([{ owner_id: cast.stranger.account.id }]);
  const purse = (await cast.stranger.get(`/api/v3/projects/${project}/purse`)).json<{ balance: string }>();
  expect(Number(purse.balance)).toBe(5);
  expect(await ledger()).toEqual(before);
  const events = await server.db.selectFrom("audit_log").select("kind").where("project_id", "=", project).execute();
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["project.transfer_offer", "project.take_over", "member.add"]),
  );
  expect((await accept(cast.stranger)).text).toBe(errors.transfer_gone);
});

it("is refused after it was withdrawn, replaced, declined or has expired, and nothing changes", async () => {
  const offer = (user: string) => cast.owner.post(path(), { user });
  await offer("stranger");
  await offer("viewer");
  expect((await accept(cast.stranger)).status).toBe(404);
  expect((await cast.viewer.delete(path())).status).toBe(200);
  expect((await accept(cast.viewer)).status).toBe(404);
  await offer("viewer");
  await server.db
    .updateTable("project_transfers")
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .where("project_id", "=", project)
    .execute();
  expect((await accept(cast.viewer)).status).toBe(404);
  await offer("viewer");
  const answers = await Promise.all([accept(cast.viewer), cast.owner.delete(path()), accept(cast.viewer)]);
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  await cast.admin.post(path(), { user: "owner" });
  expect(await accessOf(cast.owner)).toBe("owner");
  // The offer of an earlier owner is void.
  await offer("stranger");
  expect((await cast.admin.post(path(), { user: "editor" })).json()).toEqual({ state: "transferred" });
  expect((await accept(cast.stranger)).status).toBe(404);
  expect(await accessOf(cast.editor)).toBe("owner");
});

it("notifies once when the same offer is repeated, and refuses the changes of a flood", async () => {
  const told = async () => (await cast.viewer.get("/api/v3/notifications")).json<NotificationPage>().notifications;
  const before = (await told()).length;
  for (let at = 0; at < 3; at++)
    expect((await cast.owner.post(path(), { user: "viewer" })).json()).toEqual({ state: "offered" });
  expect((await told()).map(({ title }) => title).slice(0, -before)).toEqual(["owner wants to give you Tides"]);

  const team = await buildTeam(cast.owner, "Flood", {});
  const [members, person] = [`/api/v3/projects/${project}/members`, cast.editor.account.id];
  const key = JSON.stringify(["membership", cast.owner.account.id]);
  const usedUp = sql`insert into attempts (key, count, expires_at) values (${key}, 100000, now() + interval '1 hour')
    on conflict (key) do update set count = excluded.count, expires_at = excluded.expires_at`;
  await usedUp.execute(server.db);
  onTestFinished(async () => void (await sql`delete from attempts where key = ${key}`.execute(server.db)));
  const answers = [
    await cast.owner.post(path(), { user: "stranger" }),
    await cast.owner.post(members, { user: "stranger", role: "viewer" }),
    await cast.owner.patch(`${members}/${person}`, { role: "viewer" }),
    await cast.owner.delete(`${members}/${person}`),
    await cast.owner.post(`/api/v3/projects/${project}/teams`, { team, role: "viewer" }),
    await cast.owner.delete(`/api/v3/projects/${project}/teams/${team}`),
    await cast.owner.post(`/api/v3/teams/${team}/members`, { user: "stranger", role: "member" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 429));
  expect([await accessOf(cast.stranger), await accessOf(cast.editor)]).toEqual([404, "editor"]);
});

it("never leaves a person who is owner and member", async () => {
  const roleOf = ({ account }: TestAccount) =>
    server.db
      .selectFrom("project_members")
      .select("role")
      .where("project_id", "=", project)
      .where("account_id", "=", account.id)
      .execute();
  const { token } = await inviteTo(cast.owner, project);
  // The two calls below come while another server makes the stranger the owner.
  let calls: Promise<Answer>[] = [];
  await server.db.transaction().execute(async (trx) => {
    await trx.updateTable("projects").set({ owner_id: cast.stranger.account.id }).where("id", "=", project).execute();
    calls = [
      cast.owner.post(`/api/v3/projects/${project}/members`, { user: "stranger", role: "viewer" }),
      cast.stranger.post("/api/v3/invitations/accept", { token }),
    ];
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(server.db)).rows.length).toBe(2);
  });
  const answers = await Promise.all(calls);
  expect(answers.map(({ status, text }) => [status, text])).toEqual([
    [403, errors.project_read_only],
    [410, errors.invitation_inviter_lost_rights],
  ]);
  expect(await roleOf(cast.stranger)).toEqual([]);

  // As an earlier race may have left it.
  await sql`insert into project_members (project_id, account_id, role)
    values (${project}, ${cast.stranger.account.id}, 'viewer')`.execute(server.db);
  expect((await cast.admin.post(path(), { user: "editor" })).json()).toEqual({ state: "transferred" });
  expect([await accessOf(cast.editor), await roleOf(cast.stranger), await roleOf(cast.editor)]).toEqual([
    ...["owner", [{ role: "editor" }], []],
  ]);
});
