import { errors } from "@miranda/contract/errors.ts";
import type { AccountDeletion } from "@miranda/contract/schemas/account/account-deletion.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { giveToken } from "../../testing/workbench.ts";

let server: TestServer;
let admin: TestAccount;
let editor: TestAccount;
let leaver: TestAccount;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ registrationsPerHour: 1_000 });
  admin = await server.signUp("admin");
  editor = await server.signUp("editor");
});
beforeEach(async () => {
  leaver = await server.signUp(`leaver${++people}`);
});
afterAll(() => server.close());

const usernameOf = (person: TestAccount): string => person.account.username;

function remove(person: TestAccount, body: Record<string, unknown> = {}) {
  const all = { username: usernameOf(person), password, projects: "delete", ...body };
  return person.send("DELETE", "/api/v3/auth/account", JSON.stringify(all), { "content-type": "application/json" });
}

async function project(owner: TestAccount, name = "Tides"): Promise<string> {
  const made = await owner.post("/api/v3/projects/", { name, description: "" });
  return made.json<{ id: string }>().id;
}

async function graph(owner: TestAccount, projectId: string): Promise<string> {
  const made = await owner.post("/api/v3/graphs/", { name: "Flow", description: "", project_id: projectId });
  return made.json<{ id: string }>().id;
}

async function node(owner: TestAccount, graphId: string): Promise<number> {
  const made = await owner.post("/api/v3/objects?wob_type=CODE_BLOCK", { name: "Node", project_id: graphId });
  return made.json<{ metadata_id: number }>().metadata_id;
}

const share = (owner: TestAccount, id: string, user: string, role: string) =>
  owner.post(`/api/v3/projects/${id}/members`, { user, role });

const preview = async (person: TestAccount): Promise<AccountDeletion> =>
  (await person.get("/api/v3/auth/account/deletion")).json<AccountDeletion>();

/** Nothing of a refused deletion happened. */
async function expectUnchanged(person: TestAccount, projectId: string): Promise<void> {
  expect((await person.get("/api/v3/auth")).status).toBe(200);
  expect((await person.get(`/api/v3/projects/${projectId}`)).json<{ project: Project }>().project.access).toBe("owner");
}

const leftovers = (person: TestAccount) =>
  server.db.selectFrom("deleting_accounts").select("username").where("account_id", "=", person.account.id).execute();

/** The background work is done. */
async function finished(person: TestAccount): Promise<void> {
  await expect.poll(() => leftovers(person), { timeout: 20_000 }).toEqual([]);
}

const projectsWith = (id: string) => server.db.selectFrom("projects").select("id").where("id", "=", id).execute();

describe("the preview", () => {
  it("counts what would go and lists the projects that have an editor", async () => {
    const shared = await project(leaver, "Shared");
    await graph(leaver, shared);
    await project(leaver, "Alone");
    await share(leaver, shared, "editor", "editor");
    await share(leaver, shared, "admin", "viewer");
    const other = await project(editor);
    await share(editor, other, usernameOf(leaver), "viewer");
    expect(await preview(leaver)).toEqual({
      projects: 2,
      workflows: 1,
      models: 0,
      running_sessions: 0,
      members: 2,
      followers: 0,
      memberships: 1,
      is_only_admin: false,
      deployments: 0,
      deployment_titles: [],
      shared_count: 1,
      shared_projects: [
        {
          id: shared,
          name: "Shared",
          workflows: 1,
          models: 0,
          editors: [{ id: editor.account.id, username: "editor", first_name: "Editor", last_name: "Tester" }],
        },
      ],
    });
  });

  it("tells the only administrator, and nobody who is not signed in", async () => {
    expect(await preview(admin)).toMatchObject({ is_only_admin: true });
    expect((await server.anonymous().get("/api/v3/auth/account/deletion")).status).toBe(401);
  });
});

describe("a deletion is refused, and changes nothing,", () => {
  const cases: [string, Record<string, unknown>, number, string][] = [
    ["with a wrong password", { password: "wrong horse battery" }, 403, errors.wrong_password],
    ["with another username", { username: "editor" }, 403, errors.wrong_username],
    ["without a password", { password: undefined }, 400, "Password is required."],
    ["without a username", { username: undefined }, 400, "Username is required."],
    ...["keep", 7, [], {}, { transfer: 1 }, { transfer: { x: "y" } }, { transfer: ["x"] }, undefined].map(
      (projects): [string, Record<string, unknown>, number, string] => [
        `with the projects ${JSON.stringify(projects)}`,
        { projects },
        400,
        "Projects must be",
      ],
    ),
  ];
  it.each(cases)("%s", async (_what, body, status, words) => {
    const own = await project(leaver);
    const answer = await remove(leaver, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(words);
    expect(answer.text).not.toMatch(/invalid input|expected/i);
    await expectUnchanged(leaver, own);
  });

  it("for the only administrator", async () => {
    const own = await project(admin);
    const answer = await remove(admin);
    expect([answer.status, answer.text]).toEqual([409, errors.last_admin]);
    await expectUnchanged(admin, own);
  });

  it("by an access token", async () => {
    const own = await project(leaver);
    const program = Object.assign(server.anonymous(), { account: leaver.account });
    program.headers = { authorization: `Bearer ${await giveToken(leaver)}` };
    expect((await remove(program)).text).toBe(errors.session_only);
    expect((await program.get("/api/v3/auth/account/deletion")).text).toBe(errors.session_only);
    await expectUnchanged(leaver, own);
  });

  it("by somebody who is not signed in", async () => {
    expect((await remove(Object.assign(server.anonymous(), { account: leaver.account }))).status).toBe(401);
  });

  it.each(["viewer", "stranger"])("when a project would go to a %s", async (role) => {
    const own = await project(leaver, "Private");
    const second = await project(leaver, "Second");
    await share(leaver, second, "editor", "editor");
    const to = await server.signUp(`${role}${++people}`);
    if (role === "viewer") await share(leaver, own, usernameOf(to), "viewer");
    // The first transfer would be allowed: it is taken back.
    const transfer = { [second]: editor.account.id, [own]: to.account.id };
    const answer = await remove(leaver, { projects: { transfer } });
    expect([answer.status, answer.text]).toEqual([409, errors.transfer_needs_editor]);
    await expectUnchanged(leaver, own);
    await expectUnchanged(leaver, second);
  });

  it("when it would hand over another person's project", async () => {
    const own = await project(leaver);
    const theirs = await project(editor);
    const answer = await remove(leaver, { projects: { transfer: { [theirs]: editor.account.id } } });
    expect([answer.status, answer.text]).toEqual([404, errors.project_not_found]);
    await expectUnchanged(leaver, own);
  });

  it("when it would hand over 201 projects at once", async () => {
    const own = await project(leaver);
    const ids = Array.from({ length: 201 }, () => crypto.randomUUID());
    const transfer = Object.fromEntries(ids.map((id) => [id, editor.account.id]));
    expect((await remove(leaver, { projects: { transfer } })).text).toContain(
      "At most 200 projects can be handed over at once.",
    );
    await expectUnchanged(leaver, own);
  });
});

describe("a deleted account", () => {
  it("is signed out everywhere at once, and its tokens and sockets end", async () => {
    const otherBrowser = server.anonymous();
    await otherBrowser.post("/api/v3/auth", { username: usernameOf(leaver), password });
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${await giveToken(leaver)}` };
    const socket = await connect(server, leaver);
    expect((await remove(leaver)).status).toBe(200);
    expect(leaver.cookies.size).toBe(0);
    for (const client of [leaver, otherBrowser, program])
      expect((await client.get("/api/v3/projects")).status).toBe(401);
    await until(() => socket.socket.disconnected, "The socket stayed open.");
    for (const username of [usernameOf(leaver), leaver.account.email, `deleted:${leaver.account.id}`]) {
      const answer = await server.anonymous().post("/api/v3/auth", { username, password });
      expect([answer.status, answer.text]).toEqual([401, errors.wrong_credentials]);
    }
    await finished(leaver);
  });

  it("frees its username and e-mail, and the new account has nothing of the old one", async () => {
    const own = await project(leaver);
    const theirs = await project(editor);
    await share(editor, theirs, usernameOf(leaver), "editor");
    await editor.patch(`/api/v3/projects/${theirs}`, { visibility: "private" });
    expect((await remove(leaver)).status).toBe(200);
    const again = await server.signUp(usernameOf(leaver));
    expect(again.account.id).not.toBe(leaver.account.id);
    expect((await again.get("/api/v3/projects")).json()).toEqual([]);
    expect((await again.get(`/api/v3/projects/${own}`)).status).toBe(404);
    expect((await again.get(`/api/v3/projects/${theirs}`)).status).toBe(404);
    await finished(leaver);
  });

  it("cannot be deleted twice at once", async () => {
    const answers = await Promise.all([remove(leaver), remove(leaver), remove(leaver)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(2);
    await finished(leaver);
  });

  it("hands over what was chosen, deletes the rest, and removes all of it", async () => {
    const kept = await project(leaver, "Kept");
    const flow = await graph(leaver, kept);
    await share(leaver, kept, "editor", "editor");
    const gone = await project(leaver, "Gone");
    const lost = await graph(leaver, gone);
    await node(leaver, lost);
    await share(leaver, gone, "editor", "editor");
    expect((await remove(leaver, { projects: { transfer: { [kept]: editor.account.id } } })).status).toBe(200);
    const { project: now } = (await editor.get(`/api/v3/projects/${kept}`)).json<{ project: Project }>();
    expect(now).toMatchObject({ access: "owner", created_by: { you: true, first_name: "Editor" } });
    expect((await editor.get(`/api/v3/graphs/${flow}/graph`)).status).toBe(200);
    const members = (await editor.get(`/api/v3/projects/${kept}/members`)).json<{ username: string }[]>();
    expect(members.map(({ username }) => username)).toEqual(["editor"]);
    // An administrator sees everything that exists.
    for (const person of [editor, admin]) {
      expect((await person.get(`/api/v3/projects/${gone}`)).status).toBe(404);
      expect((await person.get(`/api/v3/graphs/${lost}/graph`)).status).toBe(404);
      const names = (await person.get("/api/v3/projects/browse?query=Gone")).json<Project[]>();
      expect(names).toEqual([]);
    }
    await finished(leaver);
    await expect.poll(() => projectsWith(gone), { timeout: 20_000 }).toEqual([]);
    const nodes = await server.db.selectFrom("nodes").select("id").where("graph_id", "=", lost).execute();
    expect(nodes).toEqual([]);
  });

  it("is refused when the new owner has no room for another project", async () => {
    const small = await startTestServer({ quotas: { ...readConfig({}).quotas, projectsPerAccount: 1 } });
    try {
      await small.signUp("admin");
      const owner = await small.signUp("owner");
      const full = await small.signUp("full");
      const own = await project(owner);
      await project(full);
      await share(owner, own, "full", "editor");
      const answer = await remove(owner, { projects: { transfer: { [own]: full.account.id } } });
      expect([answer.status, answer.text]).toEqual([409, errors.too_many_projects_there]);
      await expectUnchanged(owner, own);
    } finally {
      await small.close();
    }
  });
});

describe("what others see of a deleted account", () => {
  it("keeps its commits, without a name, and its name nowhere", async () => {
    const theirs = await project(editor, "Ours");
    await share(editor, theirs, usernameOf(leaver), "editor");
    const flow = await graph(editor, theirs);
    const block = await node(leaver, flow);
    const code = "from miranda import *\n\nclass One(Node):\n    def run(self):\n        pass\n";
    const commit = { source_code: code, message: "First" };
    expect((await leaver.post(`/api/v3/objects/${block}/commits`, commit)).status).toBe(200);
    await server.db
      .insertInto("models")
      .values({
        id: crypto.randomUUID(),
        name: "m",
        project_id: theirs,
        graph_id: flow,
        authors: [usernameOf(leaver), "editor"],
      })
      .execute();
    const run = { project_id: theirs, experiment: 0, account_id: leaver.account.id, user_name: usernameOf(leaver) };
    await server.db.insertInto("experiments").values({ project_id: theirs, number: 0, name: "Default" }).execute();
    const runId = crypto.randomUUID();
    await server.db
      .insertInto("tracked_runs")
      .values({ ...run, id: runId })
      .execute();
    await server.db
      .insertInto("tracked_tags")
      .values({ run_id: runId, key: "mlflow.user", value: usernameOf(leaver) })
      .execute();
    expect((await remove(leaver)).status).toBe(200);
    await finished(leaver);
    const tracked = await server.db
      .selectFrom("tracked_runs")
      .innerJoin("tracked_tags", "tracked_tags.run_id", "tracked_runs.id")
      .select(["account_id", "user_name", "value"])
      .where("id", "=", runId)
      .execute();
    expect(tracked).toEqual([{ account_id: null, user_name: "Deleted account", value: "Deleted account" }]);
    const { commits } = (await editor.get(`/api/v3/objects/${block}/commits`)).json<{ commits: unknown[] }>();
    expect(commits).toMatchObject([{ message: "First", author: null }]);
    expect((await editor.get(`/api/v3/graphs/${flow}/graph`)).status).toBe(200);
    expect((await editor.get("/api/v3/models")).text).toContain("Deleted account");
    for (const path of [`/projects/${theirs}/members`, "/models", `/graphs/${flow}/graph`, `/projects/${theirs}`])
      expect((await editor.get(`/api/v3${path}`)).text).not.toContain(usernameOf(leaver));
    const added = await share(editor, theirs, `deleted:${leaver.account.id}`, "viewer");
    expect([added.status, added.text]).toEqual([404, errors.account_not_found]);
    expect((await editor.get(`/api/v3/accounts/${leaver.account.id}/avatar`)).status).toBe(404);
  });

  it("evicts people from its workflows, and tells them", async () => {
    const own = await project(leaver);
    const flow = await graph(leaver, own);
    await share(leaver, own, "editor", "editor");
    const socket = await connect(server, editor);
    expect(await socket.enter(flow)).toBeNull();
    expect((await remove(leaver)).status).toBe(200);
    expect(await socket.next("evicted")).toEqual({ graph_id: flow, message: errors.graph_not_found });
    expect(await socket.enter(flow)).toBe(errors.graph_not_found);
    socket.close();
    await finished(leaver);
  });

  it("keeps public templates and the ledger, and deletes private templates and personal secrets", async () => {
    const { id } = leaver.account;
    const template = { kind: "prefab" as const, content: "{}", node_count: 1, edge_count: 0, owner_id: id };
    const [open, hidden] = [crypto.randomUUID(), crypto.randomUUID()];
    await server.db
      .insertInto("templates")
      .values([
        { ...template, id: open, name: "Open", public: true, library_key: null },
        { ...template, id: hidden, name: "Hidden", public: false, library_key: null },
      ])
      .execute();
    await server.db.insertInto("ledger").values({ account_id: id, kind: "grant", amount: 5 }).execute();
    await leaver.post("/api/v3/secrets", { key: "KEY", value: "x" });
    expect((await remove(leaver)).status).toBe(200);
    await finished(leaver);
    const templates = await server.db.selectFrom("templates").select("id").where("owner_id", "=", id).execute();
    expect(templates).toEqual([{ id: open }]);
    expect(await server.db.selectFrom("secrets").select("id").where("account_id", "=", id).execute()).toEqual([]);
    const entries = await server.db
      .selectFrom("ledger")
      .select("amount")
      .where("account_id", "=", id)
      .orderBy("id")
      .execute();
    expect(entries).toEqual([{ amount: 100 }, { amount: 5 }]);
  });
});

it("leaves one administrator when two delete their accounts at once", async () => {
  const own = await startTestServer();
  try {
    const first = await own.signUp("first");
    const second = await own.signUp("second");
    await own.db.updateTable("accounts").set({ is_admin: true }).execute();
    const answers = await Promise.all([remove(first), remove(second)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const admins = await own.db.selectFrom("accounts").select("username").where("is_admin", "=", true).execute();
    expect(admins).toHaveLength(1);
  } finally {
    await own.close();
  }
});
