import type { ChangedAttribute } from "@miranda/contract/schemas/changes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  graph = await buildGraph(cast, (await buildProject(cast)).id);
});
afterAll(() => server.close());

const read = async (id: number): Promise<Node> => (await cast.owner.get(`/api/v3/objects/${id}`)).json<Node>();
const valueOf = (node: Node, name: string): unknown =>
  node.api.attributes.find((attribute) => attribute.name === name)?.value;

describe("the value of an attribute", () => {
  const fields = [
    { name: "title", kind: "string", direction: "RECEIVER_FIELD", value: "a", control: { type: "text" } },
    {
      name: "epochs",
      kind: "int",
      direction: "RECEIVER_FIELD",
      value: 10,
      control: { type: "slider", min: 1, max: 200 },
    },
    { name: "rate", kind: "float", direction: "RECEIVER_FIELD", value: 0.1, control: { type: "number" } },
    {
      name: "mode",
      kind: "string",
      direction: "RECEIVER_FIELD",
      value: "fast",
      control: { type: "select", options: ["fast", 2] },
    },
    { name: "on", kind: "boolean", direction: "RECEIVER_FIELD", value: false, control: { type: "toggle" } },
    { name: "shape", kind: "json", direction: "RECEIVER_FIELD", value: [], control: { type: "json" } },
    { name: "key", kind: "string", direction: "RECEIVER_FIELD", value: "", control: { type: "secret" } },
    { name: "rows", kind: "table", direction: "RECEIVER" },
    { name: "__proto__", kind: "string", direction: "RECEIVER_FIELD", value: "p", control: { type: "text" } },
  ];
  let id: number;
  beforeAll(async () => {
    id = (await addNode(cast.owner, graph, "Fields")).metadata_id;
    await setApi(cast.owner, id, fields);
  });
  const set = (name: string, attribute_value: string) =>
    cast.editor.patch(`/api/v3/objects/${id}/attributes/${name}`, { attribute_value });

  it.each([
    ["title", " spaced ", " spaced "],
    ["title", "12", "12"],
    ["epochs", "50", 50],
    ["rate", "1e-3", 0.001],
    ["mode", "2", 2],
    ["on", "true", true],
    ["shape", '{"a":[1,null]}', { a: [1, null] }],
    ["key", "hunter2", "hunter2"],
    ["__proto__", "polluted", "polluted"],
    ["title", "\ud83d\u0000x", "\ufffd\ufffdx"],
  ])("S7-049 %s from the text %j becomes %j", async (name, text, value) => {
    const answer = await set(name, text);
    expect(answer.json<ChangedAttribute>()).toMatchObject({ metadata_id: id, name, value });
    expect(valueOf(await read(id), name)).toEqual(value);
  });

  it("S7-050 returns to the code's value when it is unset", async () => {
    await set("epochs", "60");
    const answer = await cast.editor.patch(`/api/v3/objects/${id}/attributes/epochs`, { unset: true });
    expect(answer.json<ChangedAttribute>()).toMatchObject({ value: 10 });
    expect((await read(id)).api.attributes.find(({ name }) => name === "epochs")).not.toHaveProperty("default");
  });

  it.each([
    ["epochs", "many", 400, "epochs must be a whole number from 1 to 200."],
    ["epochs", "2.5", 400, "epochs must be a whole number from 1 to 200."],
    ["epochs", "1e9", 400, "epochs must be a whole number from 1 to 200."],
    ["epochs", "NaN", 400, "epochs must be a whole number from 1 to 200."],
    ["rate", "", 400, "rate must be a number."],
    ["mode", "slow", 400, "mode must be one of fast, 2."],
    ["on", "maybe", 400, "on must be true or false."],
    ["shape", "{", 400, 'shape must be JSON, such as "text" or ["text"].'],
    ["rows", "x", 400, "This attribute gets its value from an edge."],
    ["compute", "x", 400, "This attribute gets its value from an edge."],
    ["nothing", "x", 404, "Attribute not found."],
    ["title", "x".repeat(1_000_001), 400, "A value can have at most 1000000 characters."],
    ["title", "x".repeat(5_000_000), 413, "That is too large."],
  ])("%s refuses a value that does not fit", async (name, text, status, words) => {
    const before = await read(id);
    const answer = await set(name, text);
    expect([answer.status, answer.text]).toEqual([status, words]);
    expect(await read(id)).toEqual(before);
  });

  it("of the wrong JSON type is refused", async () => {
    for (const [name, value, words] of [
      ["title", 5, "title must be text."],
      ["epochs", true, "epochs must be a whole number from 1 to 200."],
      ["on", {}, "on must be true or false."],
    ] as const) {
      const answer = await cast.owner.send(
        "PATCH",
        `/api/v3/objects/${id}/attributes/${name}`,
        JSON.stringify({ attribute_value: value }),
        { "content-type": "application/json" },
      );
      expect([answer.status, answer.text]).toEqual([400, words]);
    }
  });

  it("is refused when nested too deeply, as text and as JSON", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const path = `/api/v3/objects/${id}/attributes/shape`;
    const json = { "content-type": "application/json" };
    const answers = [
      await set("shape", deep),
      await cast.owner.send("PATCH", path, `{"attribute_value":${deep}}`, json),
      await cast.owner.send(
        "PUT",
        `/api/v3/objects/${id}/api`,
        JSON.stringify({ source_code: "", api: `[${deep}]` }),
        json,
      ),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(answers[0]?.text).toBe("That is nested too deeply.");
  });

  it("of a secret control is hidden from readers everywhere", async () => {
    await set("key", "hunter2");
    for (const path of [`/api/v3/objects/${id}`, `/api/v3/graphs/${graph}/graph`]) {
      expect((await cast.viewer.get(path)).text).not.toContain("hunter2");
      expect((await cast.editor.get(path)).text).toContain("hunter2");
    }
  });

  it("keeps both changes when two people change different attributes at once", async () => {
    await Promise.all([set("title", "from one"), set("epochs", "77"), set("rate", "0.5")]);
    const node = await read(id);
    expect([valueOf(node, "title"), valueOf(node, "epochs"), valueOf(node, "rate")]).toEqual(["from one", 77, 0.5]);
  });
});
