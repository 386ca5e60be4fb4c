import { graph as graphLimits } from "../limits.ts";
import type { DeleteManyResponse, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { ProjectDetails } from "@miranda/contract/schemas/projects.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../platform/settings/config.ts";
import { addNode, readGraph } from "../testing/editor.ts";
import type { Answer } from "../testing/test-client.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";

const most = 3;
const fileSize = 100_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    quotas: {
      ...readConfig({}).quotas,
      projectsPerAccount: most,
      workflowsPerProject: most,
      nodesPerWorkflow: most,
      templatesPerAccount: most,
      secrets: most,
      tokensPerAccount: most,
      fileBytes: most * fileSize,
    },
  });
});
afterAll(() => server.close());

const idOf = (answer: Answer): string => answer.json<{ id: string }>().id;
const newProject = (client: TestAccount) => client.post("/api/v3/projects", { name: "One", description: "" });
const newGraph = (client: TestAccount, project: string) =>
  client.post("/api/v3/graphs", { name: "Flow", description: "", project_id: project });

/** Ten calls at once: some are accepted, the others are refused with these words. */
async function rush(call: (number: number) => Promise<Answer>, accepted: number, status: number, words: string) {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, number) => call(number)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(accepted);
  for (const answer of answers.filter((one) => one.status !== 200))
    expect([answer.status, answer.text]).toEqual([status, words]);
}

describe("projects of an account", () => {
  const words = "You have as many projects as one account can have. Delete one first.";

  it("are never more than the quota, however many are made at once, and deleting one makes room", async () => {
    const person = await server.signUp();
    await rush(() => newProject(person), most, 409, words);
    const projects = (await person.get("/api/v3/projects")).json<{ id: string }[]>();
    expect(projects).toHaveLength(most);
    await person.delete(`/api/v3/projects/${projects[0]?.id}?preview=false`);
    expect((await newProject(person)).status).toBe(200);
    expect((await newProject(person)).text).toBe(words);
  });

  it("cannot be transferred to an account that is full", async () => {
    const [oldOwner, full] = [await server.signUp(), await server.signUp()];
    const project = idOf(await newProject(oldOwner));
    for (let i = 0; i < most; i++) await newProject(full);
    const refused = await oldOwner.post(`/api/v3/projects/${project}/transfer`, { user: full.account.username });
    expect([refused.status, refused.text]).toEqual([409, "That account has as many projects as one account can have."]);
    expect((await oldOwner.patch(`/api/v3/projects/${project}`, { name: "Still mine" })).status).toBe(200);
  });
});

describe("workflows of a project", () => {
  const words = "This project has as many workflows as a project can have. Delete one first, or use another project.";

  it("are never more than the quota, by making, cloning or moving", async () => {
    const person = await server.signUp();
    const [project, other] = [idOf(await newProject(person)), idOf(await newProject(person))];
    const elsewhere = idOf(await newGraph(person, other));
    const makeOrClone = (number: number) =>
      number % 2 === 0
        ? newGraph(person, project)
        : person.post(`/api/v3/graphs/${elsewhere}/clone`, { to_project: project });
    await rush(makeOrClone, most, 409, words);
    const moved = await person.patch(`/api/v3/graphs/${elsewhere}`, { dest_parent_id: project, name: "Moved" });
    expect([moved.status, moved.text]).toEqual([409, words]);
    const listed = async (id: string) =>
      (await person.get(`/api/v3/projects/${id}`)).json<ProjectDetails>().knowledge_objects.map(({ name }) => name);
    expect(await listed(project)).toHaveLength(most);
    expect(await listed(other)).toEqual(["Flow"]);
  });
});

describe("nodes of a workflow", () => {
  const words = "This workflow has as many nodes as a workflow can have. Nothing was added.";

  it("are never more than the quota, in any way", async () => {
    const person = await server.signUp();
    const graph = idOf(await newGraph(person, idOf(await newProject(person))));
    const { metadata_id, ...copy } = await addNode(person, graph);
    const paste = (count: number) =>
      person.postJson(`/api/v3/graphs/${graph}/paste`, {
        nodes: Array.from({ length: count }, (_, key) => ({ ...copy, key })),
      });
    const create = () => person.post("/api/v3/objects", { name: "More", project_id: graph });
    const file = `<graphml><graph>${Array.from({ length: most }, (_, n) => `<node id="${n}"/>`).join("")}</graph></graphml>`;
    const refused = [await paste(most), await person.post(`/api/v3/graphs/${graph}/graphml`, { body: file })];
    for (const answer of refused) expect([answer.status, answer.text]).toEqual([413, words]);
    expect(Object.keys((await readGraph(person, graph)).nodes)).toEqual([String(metadata_id)]);

    await rush(create, most - 1, 413, words);
    // Deleted nodes are restored only where there is room.
    const gone = (await person.delete(`/api/v3/objects/${metadata_id}`)).json<DeleteManyResponse>();
    expect((await create()).status).toBe(200);
    const back = { metadata_ids: JSON.stringify(gone.deleted_nodes) };
    expect((await person.post(`/api/v3/graphs/${graph}/restore`, back)).text).toBe(words);
    const nodes = Object.keys((await readGraph(person, graph)).nodes);
    expect(nodes).toHaveLength(most);
    await person.delete(`/api/v3/objects/${nodes[0]}`);
    expect(Object.keys((await person.post(`/api/v3/graphs/${graph}/restore`, back)).json<PasteResponse>().ids)).toEqual(
      [String(metadata_id)],
    );
  });
});

describe("what a workflow holds", () => {
  it("does not grow beyond 128 MB by many small changes", async () => {
    const person = await server.signUp();
    const graph = idOf(await newGraph(person, idOf(await newProject(person))));
    const node = (await addNode(person, graph)).metadata_id;
    const filled = Math.floor((graphLimits.bytesMax - 300_000) / 1_000_000);
    await sql`
      insert into nodes (id, graph_id, class, name, source_code)
      select gen_random_uuid(), ${graph}, 'Code_block', 'Large', repeat('x', 1000000) from generate_series(1, ${filled})`.execute(
      server.db,
    );
    const describeNode = (id: number, description: string) => person.patch(`/api/v3/objects/${id}`, { description });
    const numbers = await sql<{ id: number }>`
      select metadata_id as id from nodes where graph_id = ${graph} order by metadata_id limit 30`.execute(server.db);
    const answers: number[] = [];
    for (const { id } of numbers.rows) answers.push((await describeNode(id, "d".repeat(60_000))).status);
    expect(answers[0]).toBe(200);
    expect(answers.at(-1)).toBe(413);
    // Less than one measurement allows is over the limit.
    expect(answers.filter((status) => status === 200).length * 60_000).toBeLessThan(1_400_000);
    // Making it smaller is always allowed.
    expect((await describeNode(node, "")).status).toBe(200);
  });
});

describe("templates of an account", () => {
  it("are never more than the quota", async () => {
    const person = await server.signUp();
    const graph = idOf(await newGraph(person, idOf(await newProject(person))));
    const { metadata_id } = await addNode(person, graph);
    const words = "You have published as many templates as one account can. Delete one first.";
    await rush(() => person.post("/api/v3/prefabs", { metadata_id }), most, 409, words);
    const blueprint = { project_id: graph, metadata_ids: JSON.stringify([metadata_id]), name: "Whole" };
    expect((await person.post("/api/v3/blueprints", blueprint)).text).toBe(words);
  });
});

describe("secrets", () => {
  it("of an account and of a project are never more than the quota, and existing ones can be changed", async () => {
    const person = await server.signUp();
    const save = (key: string, form: Record<string, string | boolean> = {}) =>
      person.post("/api/v3/secrets", { key, value: "hush", ...form });
    await rush(
      (number) => save(`key${number}`),
      most,
      409,
      "You have as many secrets as one account can have. Delete one first.",
    );
    const kept = (await person.get("/api/v3/secrets")).json<{ key: string }[]>();
    expect(kept).toHaveLength(most);
    expect((await save(kept[0]?.key ?? "", { value: "other" })).status).toBe(200);
    const project = idOf(await newProject(person));
    await rush(
      (number) => save(`key${number}`, { project_id: project }),
      most,
      409,
      "This project has as many secrets as a project can have. Delete one first.",
    );
    // The answer to a question always has room, and does not count as a secret.
    expect((await save("answer", { temporary: true })).status).toBe(200);
    expect((await save("answer", { temporary: false })).status).toBe(409);
  });
});

describe("access tokens", () => {
  it("of an account are never more than the quota", async () => {
    const person = await server.signUp();
    const words = "You have too many access tokens. Revoke one first.";
    await rush(() => person.post("/api/v3/auth/access_tokens", { web_password: password }), most, 409, words);
    const tokens = (await person.get("/api/v3/auth/access_tokens")).json<{ automatic: boolean }[]>();
    expect(tokens.filter(({ automatic }) => !automatic)).toHaveLength(most);
  });
});

describe("files in nodes", () => {
  it("of an account are never more than the quota, and unused files count until they are deleted", async () => {
    const person = await server.signUp();
    const graph = idOf(await newGraph(person, idOf(await newProject(person))));
    const { metadata_id } = await addNode(person, graph);
    let made = 0;
    const upload = () => {
      const form = new FormData();
      form.append("file", new File([Buffer.alloc(fileSize, `${++made} `)], "data.bin"));
      return person.send("POST", `/api/v3/objects/${metadata_id}/files`, form);
    };
    const words =
      "You have put as much into nodes as one account can. Remove some files first: after a day they no longer count.";
    await rush(upload, most, 413, words);
    const own = () => server.db.updateTable("node_files").where("created_by", "=", person.account.id);
    await own().set({ unused_since: new Date() }).execute();
    await rush(upload, most, 413, words);
    await own().set({ unused_since: new Date() }).execute();
    expect((await upload()).text).toBe(words);
  });
});

describe("calls per minute", () => {
  const perMinute = 20;
  const burst = 3 * perMinute;
  let limited: TestServer;
  let account: TestAccount;
  let other: TestAccount;
  beforeAll(async () => {
    const quotas = { ...readConfig({}).quotas, callsPerMinute: perMinute, anonymousCallsPerMinute: perMinute };
    limited = await startTestServer({ quotas });
    account = await limited.signUp();
    other = await limited.signUp();
  });
  afterAll(() => limited.close());

  const words = /^That is too many calls\. Try again in \d+ seconds?\.$/;

  it("of one account are limited across sign-in session and token, and nobody else's are", async () => {
    const made = await account.post("/api/v3/auth/access_tokens", { web_password: password });
    const program = limited.anonymous();
    program.headers = { authorization: `Bearer ${made.json<{ token: string }>().token}` };
    const answers: Answer[] = [];
    for (let i = 0; i < 2 * burst; i++) answers.push(await (i % 2 ? account : program).get("/api/v3/projects"));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers[0]?.status).toBe(200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.text).toMatch(words);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    // A call that is refused changes nothing.
    await limited.db.deleteFrom("projects").execute();
    const tries = await Promise.all(Array.from({ length: burst }, () => newProject(account)));
    const accepted = tries.filter(({ status }) => status === 200).length;
    expect((await other.get("/api/v3/projects/browse")).json<object[]>()).toHaveLength(accepted);
    expect(accepted).toBeLessThan(burst);
  });

  it("of an address that is not signed in are limited, and signed-in callers there are not", async () => {
    const stranger = limited.anonymous();
    stranger.headers = { authorization: "Bearer mir_made_up" };
    const answers: Answer[] = [];
    for (let i = 0; i < 2 * burst; i++)
      answers.push(await (i % 2 ? limited.anonymous() : stranger).get("/api/v3/projects"));
    expect(answers[0]?.status).toBe(401);
    expect(answers.find(({ status }) => status === 429)?.text).toMatch(words);
    await limited.db.transaction().execute(async (trx) => {
      // Whoever looks a token up waits for as long as this lasts.
      await sql`lock table access_tokens in access exclusive mode`.execute(trx);
      expect((await stranger.get("/api/v3/projects")).status).toBe(429);
    });
    expect((await other.get("/api/v3/projects")).status).toBe(200);
    expect((await stranger.get("/healthz")).status).toBe(200);
    expect((await stranger.get("/designer")).status).toBe(200);
  });
});
