import { errors } from "@miranda/contract/errors.ts";
import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import type { Invitation } from "@miranda/contract/schemas/people/invitations.ts";
import type { ProjectMemberList } from "@miranda/contract/schemas/members.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { linkIn, type MailServer, startMailServer } from "../../testing/mail-server.ts";
import { inviteTo, registerInvited } from "../../testing/people/people.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";

let post: MailServer;
let server: TestServer;
let cast: Cast;
let project: string;
let count = 0;
beforeAll(async () => {
  post = await startMailServer();
  server = await startTestServer({
    ...{ registrationsPerHour: 1_000, mail: post.settings, publicUrl: "http://miranda.test" },
  });
  cast = await signUpCast(server);
});
afterAll(async () => {
  await server.close();
  await post.close();
});
beforeEach(async () => {
  project = (await buildProject(cast)).id;
});

const newName = () => `guest${++count}`;
const accept = (person: Cast["stranger"], token: string) => person.post("/api/v3/invitations/accept", { token });
const open = (token: string) => server.anonymous().post("/api/v3/invitations/open", { token });
const hasAccount = async (username: string) =>
  (await server.db.selectFrom("accounts").select("id").where("username", "=", username).execute()).length > 0;
const members = async () =>
  (await cast.owner.get(`/api/v3/projects/${project}/members`))
    .json<ProjectMemberList>()
    .map(({ username }) => username)
    .toSorted();

describe("an invitation by link", () => {
  it("lets somebody without an account in, once, and tells who invited", async () => {
    const { token } = await inviteTo(cast.owner, project);
    expect((await open(token)).json()).toMatchObject({ project: "Tides", role: "editor", inviter: "Owner Tester" });
    const name = newName();
    const { client, answer } = registerInvited(server, name, token);
    expect((await answer).json<AuthResponse>().username).toBe(name);
    const [shared] = (await client.get("/api/v3/projects/shared")).json<Project[]>();
    expect(shared).toMatchObject({ id: project, access: "editor", created_by: { first_name: "Owner" } });
    const { notifications } = (await cast.owner.get("/api/v3/notifications")).json<{
      notifications: { title: string }[];
    }>();
    expect(notifications[0]?.title).toBe(`${name} accepted your invitation`);
    const list = (await cast.owner.get(`/api/v3/projects/${project}/invitations`)).json<Invitation[]>();
    expect(list).toMatchObject([{ state: "used", used_by: name }]);

    const second = newName();
    const replayed = await registerInvited(server, second, token).answer;
    expect([replayed.status, replayed.text]).toEqual([410, errors.invitation_used]);
    expect(await hasAccount(second)).toBe(false);
    expect((await accept(cast.stranger, token)).text).toBe(errors.invitation_used);
    expect(await members()).toEqual(["editor", name, "owner", "viewer"].toSorted());
  });

  it("lets one of two people in who use it at once", async () => {
    const { token } = await inviteTo(cast.owner, project);
    const [one, other] = [newName(), newName()];
    const answers = await Promise.all([
      registerInvited(server, one, token).answer,
      registerInvited(server, other, token).answer,
      accept(cast.stranger, token),
    ]);
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "410", "410"]);
    expect((await members()).length).toBe(4);
    expect([await hasAccount(one), await hasAccount(other)].filter(Boolean).length).toBeLessThanOrEqual(1);
  });

  it("makes a viewer an editor, and is not used up by somebody who has the role already", async () => {
    const { token } = await inviteTo(cast.owner, project);
    expect((await accept(cast.editor, token)).text).toBe(errors.already_member);
    expect((await accept(cast.owner, token)).text).toBe(errors.already_member);
    expect((await accept(cast.viewer, token)).json()).toEqual({ project_id: project });
    const { project: seen } = (await cast.viewer.get(`/api/v3/projects/${project}`)).json<{ project: Project }>();
    expect(seen.access).toBe("editor");
  });

  it("is refused when it was withdrawn, has expired, or its maker lost the right, and nothing changes", async () => {
    const withdrawn = await inviteTo(cast.owner, project);
    await cast.owner.delete(`/api/v3/invitations/${withdrawn.id}`);
    const expired = await inviteTo(cast.owner, project);
    await server.db
      .updateTable("invitations")
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where("id", "=", expired.id)
      .execute();
    const left = await inviteTo(cast.owner, project);
    const before = await members();
    for (const [{ token }, words] of [
      [withdrawn, errors.invitation_withdrawn],
      [expired, errors.invitation_expired],
    ] as const) {
      const name = newName();
      const answers = [await open(token), await registerInvited(server, name, token).answer];
      answers.push(await accept(cast.stranger, token));
      expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [410, words]));
      expect(await hasAccount(name)).toBe(false);
    }
    expect(await members()).toEqual(before);
    await cast.admin.post(`/api/v3/projects/${project}/transfer`, { user: "editor" });
    expect((await accept(cast.stranger, left.token)).text).toBe(errors.invitation_inviter_lost_rights);
    expect((await cast.stranger.get(`/api/v3/projects/${project}`)).status).toBe(404);
  });
});

describe("an invitation by e-mail", () => {
  it("works with this address alone", async () => {
    const name = newName();
    const { token } = await inviteTo(cast.owner, project, { email: `${name}@Example.org` });
    const other = newName();
    const refused = await registerInvited(server, other, token).answer;
    expect([refused.status, refused.text]).toEqual([
      403,
      `This invitation is for ${name}@Example.org. Nobody else can use it.`,
    ]);
    expect(await hasAccount(other)).toBe(false);
    expect((await accept(cast.stranger, token)).status).toBe(403);
    expect((await cast.stranger.get(`/api/v3/projects/${project}`)).status).toBe(404);
    // Whoever invited has this link too, so the address must be confirmed.
    const { client, answer } = registerInvited(server, name, token, `${name}@Example.org`);
    expect([(await answer).status, (await answer).text]).toEqual([403, errors.confirm_email_first]);
    expect((await client.get("/api/v3/auth/")).status).toBe(401);
    await post.next(`${name}@example.org`);
    const confirmation = linkIn(await post.next(`${name}@example.org`)).replace("/confirm/", "");
    expect((await client.post("/api/v3/auth/email/confirm", { token: confirmation })).status).toBe(200);
    expect((await client.post("/api/v3/auth", { username: name, password })).status).toBe(200);
    expect((await client.get(`/api/v3/projects/${project}`)).status).toBe(200);
  });

  it("is accepted with a confirmed address, or with the link that was mailed", async () => {
    const name = newName();
    const person = await server.signUp(name);
    const email = `${name}@example.org`;
    await post.next(email);
    const { token } = await inviteTo(cast.owner, project, { email });
    const refused = await accept(person, token);
    expect([refused.status, refused.text]).toEqual([403, errors.invitation_unconfirmed]);
    expect((await person.get(`/api/v3/projects/${project}`)).status).toBe(404);
    const mailed = linkIn(await post.next(email)).replace("/invitation/", "");
    expect(mailed).not.toBe(token);
    expect((await accept(cast.stranger, mailed)).status).toBe(403);
    expect((await accept(person, mailed)).json()).toEqual({ project_id: project });
    expect((await accept(person, token)).text).toBe(errors.invitation_used);
  });

  it("is mailed, and while registration is closed lets new people in only if an administrator made it", async () => {
    const close = (registration: "closed" | "open") =>
      server.db.updateTable("installation_settings").set({ registration }).execute();
    await close("closed");
    const [name, other] = [newName(), newName()];
    const { token } = await inviteTo(cast.owner, project, { email: `${other}@example.org` });
    expect((await open(token)).json()).toMatchObject({ can_register: false });
    const refused = await registerInvited(server, other, token).answer;
    expect([refused.status, refused.text]).toEqual([403, errors.invitation_not_enough]);
    expect(await hasAccount(other)).toBe(false);
    const made = await cast.admin.post("/api/v3/admin/invitations", { email: `${name}@example.org` });
    expect(made.json()).toMatchObject({ mailed: true });
    const mailed = linkIn(await post.next(`${name}@example.org`)).replace("/invitation/", "");
    const { answer } = registerInvited(server, name, mailed);
    // The mail has reached its reader: there is nothing left to confirm.
    expect((await answer).json<AuthResponse>().account.email_unconfirmed).toBe(false);
    await close("open");
  });

  it("answers many at once: invitations of many projects, and people who register with one link", async () => {
    const ids = [];
    for (let at = 0; at < 25; at++) ids.push((await buildProject(cast, `Tides ${at}`)).id);
    const made = await Promise.all(
      ids.map((id, at) => cast.admin.post(`/api/v3/projects/${id}/invitations`, { email: `many${at}@example.org` })),
    );
    expect(made.map(({ status }) => status)).toEqual(ids.map(() => 200));

    const { token } = await inviteTo(cast.owner, project);
    const answers = await Promise.all(ids.map(() => registerInvited(server, newName(), token).answer));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(24);
  });

  it("is the way for an address that nobody has confirmed: whoever claims it gets nothing", async () => {
    const mallory = await server.signUp(newName());
    const email = `${newName()}@corp.example`;
    await mallory.patch("/api/v3/auth/account", { email, password });
    const confirmation = linkIn(await post.next(email)).replace("/confirm/", "");
    const { id: team } = (await cast.owner.post("/api/v3/teams", { name: newName() })).json<{ id: string }>();
    const name = () =>
      Promise.all([
        cast.owner.post(`/api/v3/projects/${project}/members`, { user: email, role: "editor" }),
        cast.owner.post(`/api/v3/teams/${team}/members`, { user: email }),
        cast.owner.post(`/api/v3/projects/${project}/transfer`, { user: email }),
        cast.admin.post("/api/v3/admin/grants", { key: email, account: email, amount: "5", note: "Invoice 8" }),
      ]);
    const answers = await name();
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(answers.slice(0, 3).map(({ text }) => text)).toEqual([1, 2, 3].map(() => errors.account_not_found));
    expect(await members()).toEqual(["editor", "owner", "viewer"]);
    // Her username is hers.
    const byName = { key: `${email}-2`, account: mallory.account.username, amount: "5", note: "Invoice 8" };
    expect((await cast.admin.post("/api/v3/admin/grants", byName)).status).toBe(200);

    expect((await mallory.post("/api/v3/auth/email/confirm", { token: confirmation })).status).toBe(200);
    expect((await name()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("refuses what is no address", async () => {
    for (const email of ["nobody", "a@b", "a@example.org\nbcc: b@example.org"])
      expect((await cast.owner.post(`/api/v3/projects/${project}/invitations`, { email })).status).toBe(400);
  });
});

describe("a token", () => {
  it("is stored as a hash, and is in no list, log or notification", async () => {
    const { token, id } = await inviteTo(cast.owner, project);
    const row = await server.db.selectFrom("invitations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    expect(row.token_hash.length).toBe(32);
    const events = await server.db.selectFrom("audit_log").selectAll().execute();
    const list = (await cast.owner.get(`/api/v3/projects/${project}/invitations`)).text;
    expect(JSON.stringify([row, events, list])).not.toContain(token);
    expect(events.map(({ kind }) => kind)).toContain("invitation.create");
  });

  it("cannot be guessed: an address has few tries, and a valid one is not counted", async () => {
    const { token } = await inviteTo(cast.owner, project);
    const answers = [];
    for (let at = 0; at < 31; at++) answers.push(await open(`guess${at}`));
    expect(answers.slice(0, 29).every(({ status }) => status === 404)).toBe(true);
    expect(answers.at(-1)?.status).toBe(429);
    expect((await open(token)).status).toBe(429);
    await server.db.deleteFrom("attempts").execute();
    for (let at = 0; at < 40; at++) expect((await open(token)).status).toBe(200);
    // A text that fits no token is an unknown one, and a longer one is refused.
    expect((await open("x".repeat(500))).status).toBe(400);
    expect((await open("' or 1=1 --")).status).toBe(404);
  });
});
