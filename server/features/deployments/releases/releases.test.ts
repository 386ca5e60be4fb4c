import { errors } from "@miranda/contract/errors.ts";
import type { Release, ReleasePage } from "@miranda/contract/schemas/deployments/deployments.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { buildFlow, deployFlow, deploymentOf, releaseAsProposed } from "../../../testing/deployments/deployments.ts";
import { addNode, ends, setApi } from "../../../testing/editor.ts";
import { SocketListener } from "../../../testing/workbench.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { versionsOf } from "../../../testing/versions/versions.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let [source, target] = [0, 0];
let count = 0;
let name = "";
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  ({ source, target } = await buildFlow(cast.owner, graph));
  name = `app-${++count}`;
});

const output = (number: number, transmitter: string | null) => ({
  ...{ name: "out", wob_key: number, transmitter, label: "Out" },
});
const field = (attribute: string, rest: object = {}) => ({
  ...{ name: attribute, wob_key: source, attribute, label: attribute, kind: "any", control: null, default: null },
  ...rest,
});

describe("a proposal", () => {
  it("offers fields and outputs of the version, without secrets, with names and labels", async () => {
    await versionsOf(cast.owner, graph).made("First");
    await cast.owner.patch(`/api/v3/objects/${source}`, { name: "Changed since" });
    const proposal = await deploymentOf(cast.viewer, graph).proposal();
    expect(proposal).toMatchObject({
      version: { number: 1, name: "First" },
      fields: [
        { name: "rate", label: "Rate", wob_key: source, attribute: "rate", node_name: "Source", ticked: true },
        { name: "mode", kind: "string", control: { type: "select" }, default: "fast", ticked: true },
        { name: "data", wob_key: target, control: { type: "file" }, default: null, ticked: true },
      ],
      outputs: [
        { name: "rows", transmitter: "rows", ticked: false },
        { name: "source", transmitter: null, label: "Source", ticked: false },
        { name: "result", wob_key: target, transmitter: "result", ticked: true },
        { name: "target", transmitter: null, ticked: true },
      ],
      steps: [
        { wob_key: source, label: "Source" },
        { wob_key: target, label: "Target" },
      ],
      missing: [],
    });
    expect(proposal.fields).toHaveLength(3);
    expect((await deploymentOf(cast.owner, graph).send("GET", "/proposal?version=2")).status).toBe(404);
    expect((await deploymentOf(cast.owner, graph).send("GET", "/proposal")).status).toBe(400);
    expect((await deploymentOf(cast.stranger, graph).send("GET", "/proposal?version=1")).status).toBe(404);
  });

  it("gives the same attribute of several nodes different names, whatever they are called", async () => {
    for (const title of ["Größe", "Größe", "1st", "名"]) {
      const { metadata_id } = await addNode(cast.owner, graph, title);
      await setApi(cast.owner, metadata_id, [
        { name: "rate", kind: "int", direction: "RECEIVER_FIELD", value: 1, control: { type: "number" } },
        { name: "größe", kind: "int", direction: "RECEIVER_FIELD", value: 1, control: { type: "number" } },
      ]);
    }
    await versionsOf(cast.owner, graph).made("First");
    const { fields, outputs } = await deploymentOf(cast.owner, graph).proposal();
    for (const names of [fields.map((one) => one.name), outputs.map((one) => one.name)]) {
      expect(new Set(names).size).toBe(names.length);
      for (const one of names) expect(one).toMatch(/^[a-z][a-z0-9_]{0,59}$/);
    }
    expect(fields.map((one) => one.name)).toContain("gro_e_rate");
    await deploymentOf(cast.owner, graph).deployed({
      ...{ name, title: "Many", release: await releaseAsProposed(cast.owner, graph) },
    });
  });

  it("leaves out what an edge sets", async () => {
    await cast.owner.post("/api/v3/objects/edges", ends(source, "rows", target, "data"));
    await versionsOf(cast.owner, graph).made("First");
    const { fields } = await deploymentOf(cast.owner, graph).proposal();
    expect(fields.map((one) => one.attribute)).toEqual(["rate", "mode"]);
    const form = { fields: [field("data", { wob_key: target })], outputs: [], steps: [] };
    const refused = await deploymentOf(cast.owner, graph).deploy({ name, title: "App", release: { version: 1, form } });
    expect(refused.text).toBe("data: data of Target is set by an edge.");
  });

  it("ticks what the release before had", async () => {
    const { made, restored } = versionsOf(cast.owner, graph);
    await made("First");
    const release = await releaseAsProposed(cast.owner, graph);
    release.form.fields = [
      { ...(release.form.fields[1] as object), label: "How", help: "Careful or not", required: true } as never,
      { ...(release.form.fields[0] as object), default: 4, max: 5 } as never,
    ];
    await deploymentOf(cast.owner, graph).deployed({ name, title: "App", release });
    // The node comes back with another number.
    await cast.owner.delete(`/api/v3/objects/${source}`);
    await restored(1);
    await made("Second", { message: "Restored" });
    const again = await deploymentOf(cast.owner, graph).proposal(2);
    expect(again.missing).toEqual([]);
    expect(again.fields).toMatchObject([
      { name: "mode", label: "How", help: "Careful or not", required: true, ticked: true },
      { name: "rate", default: 4, max: 5, ticked: true },
      { name: "data", ticked: false },
    ]);
    const [now] = again.fields;
    await setApi(cast.owner, now?.wob_key ?? 0, [
      { name: "rate", kind: "string", direction: "RECEIVER_FIELD", value: "much", control: { type: "text" } },
    ]);
    await made("Third");
    const third = await deploymentOf(cast.owner, graph).proposal(3);
    expect(third.missing).toEqual(["The field “How” is no longer there."]);
    // 4 is no text: the default of the version is offered instead.
    expect(third.fields[0]).toMatchObject({ name: "rate", kind: "string", default: null, ticked: true });
    await deploymentOf(cast.owner, graph).released(await releaseAsProposed(cast.owner, graph, 3));
  });
});

describe("a release", () => {
  beforeEach(() => versionsOf(cast.owner, graph).made("First"));

  const attempt = (form: object, version = 1) =>
    deploymentOf(cast.owner, graph).deploy({ name, title: "App", release: { version, form } });

  it("is refused with everything that is wrong with its form", async () => {
    const answer = await attempt({
      fields: [
        field("rate", { default: 99 }),
        field("mode", { default: "slow" }),
        field("key"),
        field("nothing"),
        field("rows", { name: "edge" }),
        field("data", {
          wob_key: target,
          name: "file",
          default: { file: "0".repeat(64), name: "x", size: 1, type: "" },
        }),
        field("rate", { name: "again", min: 5, max: 4 }),
        field("rate", { name: "elsewhere", wob_key: 999_999 }),
      ],
      outputs: [
        output(target, "nothing"),
        { ...output(target, null), name: "one" },
        { ...output(target, null), name: "two" },
      ],
      steps: [{ wob_key: 999_999, label: "Gone" }],
    });
    expect([answer.status, answer.headers.get("x-miranda-error") ?? "release_form_wrong"]).toEqual([
      400,
      "release_form_wrong",
    ]);
    const lines = answer.text.split("\n");
    for (const words of [
      "rate: its default does not fit.",
      "mode: its default does not fit.",
      "key: key of Source is a secret.",
      "nothing: Source has no field “nothing”.",
      "edge: Source has no field “rows”.",
      "file: a file cannot have a default of its own.",
      "again: no value is within its limits.",
      "elsewhere: this version has no such code block.",
      "again: another field sets the same value.",
      "out: Target has no transmitter “nothing”.",
      "two: another output shows the same value.",
      "Gone: this version has no such step.",
    ])
      expect(lines.filter((line) => line.startsWith(words.replace(/\.$/, "")))).toHaveLength(1);
    expect((await deploymentOf(cast.owner, graph).get()).status).toBe(404);
  });

  it("takes kinds and controls from the version, whatever the form says", async () => {
    const lying = field("rate", { kind: "string", control: { type: "text" }, default: 3, min: 1, max: 100 });
    const made = await attempt({ fields: [lying], outputs: [], steps: [] });
    expect(made.json<{ production: null }>()).toMatchObject({ production: null });
    const { releases } = (await deploymentOf(cast.owner, graph).send("GET", "/releases")).json<ReleasePage>();
    expect(releases[0]?.form.fields[0]).toMatchObject({ kind: "float", control: { type: "number", min: 0, max: 9 } });
  });

  it.each<[string, object]>([
    [
      "too many fields",
      { fields: Array.from({ length: 101 }, (_, at) => field("rate", { name: `f${at}` })), outputs: [] },
    ],
    ["a list without end", { fields: Array.from({ length: 300_000 }, () => ({})), outputs: [] }],
    ["the same name twice", { fields: [field("rate"), field("mode", { name: "rate" })], outputs: [] }],
    ["a name that is none", { fields: [field("rate", { name: "__proto__" })], outputs: [] }],
    ["a label without end", { fields: [field("rate", { label: "x".repeat(300) })], outputs: [] }],
    ["no lists", { fields: "all", outputs: 5 }],
    ["a number for a limit", { fields: [field("rate", { min: "1" })], outputs: [] }],
    ["nothing", {}],
  ])("is refused with %s", async (_what, form) => {
    const answer = await attempt(form);
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  it("is refused with a value that is nested too deeply or cannot be stored", async () => {
    const { metadata_id } = await addNode(cast.owner, graph, "Json");
    await setApi(cast.owner, metadata_id, [
      { name: "any", kind: "any", direction: "RECEIVER_FIELD", value: null, control: { type: "json" } },
    ]);
    await versionsOf(cast.owner, graph).made("Second");
    let deep: unknown = 1;
    for (let at = 0; at < 500; at++) deep = [deep];
    for (const value of [deep, "a\u0000b", { "\ud800": 1 }]) {
      const bad = field("any", { wob_key: metadata_id, default: value });
      expect((await attempt({ fields: [bad], outputs: [] }, 2)).status).toBe(400);
    }
  });

  it("needs a version with a number, of this workflow", async () => {
    const form = { fields: [], outputs: [], steps: [] };
    expect((await attempt(form, 7)).text).toBe(errors.version_not_found);
    const other = await buildGraph(cast, project, "Other");
    await addNode(cast.owner, other, "Foreign");
    await versionsOf(cast.owner, other).made("One");
    await addNode(cast.owner, other, "More");
    await versionsOf(cast.owner, other).made("Two");
    expect((await attempt(form, 2)).text).toBe(errors.version_not_found);
  });

  it("keeps its version from being deleted", async () => {
    await deployFlowAgain();
    const refused = await versionsOf(cast.owner, graph).remove(1);
    expect([refused.status, refused.text]).toEqual([409, errors.version_deployed]);
    expect((await deploymentOf(cast.owner, graph).remove()).status).toBe(204);
    expect((await versionsOf(cast.owner, graph).remove(1)).status).toBe(200);
  });

  it("is published, rolled back to, and taken from its channel", async () => {
    await deployFlowAgain();
    const owner = deploymentOf(cast.owner, graph);
    const editor = deploymentOf(cast.editor, graph);
    await cast.owner.patch(`/api/v3/objects/${source}`, { name: "Spring" });
    await versionsOf(cast.editor, graph).made("Second");
    const second = { ...(await releaseAsProposed(cast.editor, graph, 2)), note: "Better", channel: "staging" };
    expect(await editor.released(second)).toMatchObject({
      ...{ number: 2, note: "Better", by: { username: "editor" }, version: { number: 2, name: "Second" } },
      time_served: null,
    });
    expect(await owner.read()).toMatchObject({ production: { number: 1 }, staging: { number: 2 } });
    expect((await editor.serve("production", 2)).json()).toMatchObject({ production: { number: 2 } });
    expect((await editor.serve("production", 1)).json()).toMatchObject({ production: { number: 1 } });
    expect((await editor.serve("production", 3)).text).toBe(errors.release_not_found);
    expect((await editor.serve("nowhere", 1)).status).toBe(404);
    expect((await deploymentOf(cast.viewer, graph).serve("production", 2)).status).toBe(403);
    expect((await deploymentOf(cast.stranger, graph).serve("production", 2)).status).toBe(404);
    expect(await owner.read()).toMatchObject({ production: { number: 1 } });
    expect((await editor.serve("staging", null)).json()).toMatchObject({ staging: null });
    const page = (await owner.send("GET", "/releases?limit=1")).json<ReleasePage>();
    expect(page.releases).toMatchObject([{ number: 2 }]);
    const rest = (await owner.send("GET", `/releases?limit=1&after=${page.next}`)).json<ReleasePage>();
    expect([rest.releases.map(({ number }) => number), rest.next]).toEqual([[1], null]);
  });

  it("of another deployment cannot be served", async () => {
    await deployFlowAgain();
    const other = await buildGraph(cast, project, "Other");
    await buildFlow(cast.owner, other);
    await deployFlow(cast.owner, other, { name: `${name}-b` });
    await deploymentOf(cast.owner, other).released(await releaseAsProposed(cast.owner, other));
    expect((await deploymentOf(cast.owner, graph).serve("production", 2)).text).toBe(errors.release_not_found);
  });

  it("gets its own number when several people release at once", async () => {
    await deployFlowAgain();
    const body = await releaseAsProposed(cast.owner, graph);
    const made = await Promise.all(Array.from({ length: 8 }, () => deploymentOf(cast.editor, graph).released(body)));
    expect(made.map(({ number }: Release) => number).toSorted((one, other) => one - other)).toEqual([
      ...[2, 3, 4, 5, 6, 7, 8, 9],
    ]);
  });

  it("is dropped when it is old and nobody ever used it", async () => {
    const { id } = await deployFlowAgain();
    await sql`insert into releases (id, deployment_id, number, version_id, form)
      select gen_random_uuid(), deployment_id, number + n, version_id, form
      from releases, generate_series(1, 600) as n where deployment_id = ${id}`.execute(server.db);
    await deploymentOf(cast.owner, graph).released(await releaseAsProposed(cast.owner, graph));
    const { rows } = await sql<{ number: number }>`select number from releases where deployment_id = ${id}
      order by number`.execute(server.db);
    expect([rows[0]?.number, rows[1]?.number, rows.at(-1)?.number]).toEqual([1, 103, 602]);
  });

  it("is announced in the room of the deployment, which its readers may enter", async () => {
    const { id } = await deployFlowAgain();
    const cookieOf = (role: "viewer" | "stranger") =>
      [...cast[role].cookies].map(([key, value]) => `${key}=${value}`).join("; ");
    const stranger = new SocketListener(server.url, cookieOf("stranger"));
    await expect(stranger.enter(id)).rejects.toThrow("not found");
    stranger.close();
    const listener = new SocketListener(server.url, cookieOf("viewer"));
    await listener.enter(id);
    await deploymentOf(cast.owner, graph).serve("staging", 1);
    expect(await listener.wait("update[DEPLOYMENT]")).toEqual({ deployment_id: id });
    // Whoever may no longer read it is put out.
    await cast.owner.delete(`/api/v3/projects/${project}/members/${cast.viewer.account.id}`);
    expect(await listener.wait("evicted")).toMatchObject({ graph_id: id });
    listener.close();
    await cast.owner.post(`/api/v3/projects/${project}/members`, { user: "viewer", role: "viewer" });
  });

  async function deployFlowAgain() {
    const release = { ...(await releaseAsProposed(cast.owner, graph)), channel: "production" };
    return deploymentOf(cast.owner, graph).deployed({ name, title: "App", release });
  }
});
