import { applyChange } from "@miranda/contract/graph/apply-change.ts";
import { contentOf, type GraphContent } from "@miranda/contract/graph/content.ts";
import type {
  ChangedGroup,
  DeleteManyResponse,
  GraphChange,
  PasteResponse,
} from "@miranda/contract/schemas/changes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, ends, readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
});

const read = () => readGraph(cast.owner, graph);
const add = async (name: string) => (await addNode(cast.owner, graph, name)).metadata_id;
const change = (changes: unknown) =>
  cast.editor.patch(`/api/v3/graphs/${graph}/nodes`, { changes: JSON.stringify(changes) });
const post = (what: string, body: unknown) => cast.editor.postJson(`/api/v3/graphs/${graph}/${what}`, body);
const alike = (ids: number[], one: object) => Object.fromEntries(ids.map((id) => [id, one]));

const code = "x = 1\n".repeat(300);

async function addMany(count: number): Promise<number[]> {
  const nodes = Array.from({ length: count }, (_, key) => ({
    key,
    class: "Code_block",
    name: `Node ${key}`,
    position: { x: key, y: 0 },
    source_code: code,
  }));
  return Object.values((await post("paste", { nodes })).json<PasteResponse>().ids);
}

/** Without the time of the last change, which positions do not carry. */
function comparable({ nodes, ...rest }: GraphContent) {
  const still = Object.entries(nodes).map(([id, { last_updated: _time, ...node }]) => [id, node] as const);
  return { ...rest, nodes: Object.fromEntries(still) };
}

describe("500 selected nodes", () => {
  it("are disabled, locked, coloured, tagged, moved, deleted and restored by one call and one event each", async () => {
    const ids = await addMany(500);
    const [writer, reader] = [await connect(server, cast.owner), await connect(server, cast.viewer)];
    for (const socket of [writer, reader]) await socket.enter(graph);
    const start = await read();

    const steps: [string, () => Promise<{ status: number; text: string }>][] = [
      ["disable", () => change(alike(ids, { disabled: true }))],
      ["tag", () => change(alike(ids, { tags_added: ["slow", "night"] }))],
      ["untag", () => change(alike(ids, { tags_removed: ["slow"] }))],
      ["colour", () => change(alike(ids, { colour: "#AA0000" }))],
      ["lock", () => change(alike(ids, { locked: true }))],
      ["unlock", () => change(alike(ids, { locked: false }))],
      ["move", () => post("positions", { positions: alike(ids, { x: 8, y: 8 }) })],
    ];
    for (const [what, call] of steps) {
      const answer = await call();
      expect([what, answer.status, answer.text.slice(0, 100)]).toEqual([what, 200, expect.anything()]);
    }
    const after = await read();
    expect(after.revision).toBe(start.revision + steps.length);
    for (const node of Object.values(after.nodes)) {
      expect([node.api.disabled, node.locked, node.colour, node.tags.tags, node.tags.user_ids]).toEqual([
        true,
        false,
        "#aa0000",
        ["night"],
        [expect.any(String)],
      ]);
    }

    for (const socket of [writer, reader]) {
      await socket.next<GraphChange>("update[GRAPH]", ({ revision }) => revision === after.revision);
      const events = socket.all<GraphChange>("update[GRAPH]");
      expect(events).toHaveLength(steps.length);
      // Nobody must fetch the graph, or receives what did not change.
      const sizes = events.map((event) => JSON.stringify(event).length);
      expect(events.some(({ reload }) => reload)).toBe(false);
      expect(Math.max(...sizes)).toBeLessThan(500 * 170);
      let content: GraphContent | undefined = contentOf(start);
      for (const event of events) content = content && applyChange(content, event);
      expect(content && comparable(content)).toEqual(comparable(contentOf(after)));
      socket.close();
    }

    const gone = (await post("delete", { metadata_ids: ids })).json<DeleteManyResponse>();
    expect([gone.revision, gone.deleted_nodes.length]).toEqual([after.revision + 1, 500]);
    const back = (await post("restore", { metadata_ids: ids })).json<PasteResponse>();
    expect([back.revision, Object.keys(back.nodes).length]).toEqual([after.revision + 2, 500]);
  });
});

describe("changing many", () => {
  it("changes each node separately, so that one call can undo any change", async () => {
    const [a, b, c] = [await add("A"), await add("B"), await add("C")];
    await cast.owner.post(`/api/v3/objects/${a}/tags`, { tag: "first" });
    await change({
      [a]: { tags_added: ["second"], colour: "#112233" },
      [b]: { disabled: true },
      [c]: { locked: true },
    });
    const { nodes } = await read();
    const shown = ({ api, locked, colour, tags }: Node) => [api.disabled, locked, colour, tags.tags];
    expect([a, b, c].map((id) => nodes[id] && shown(nodes[id]))).toEqual([
      [false, false, "#112233", ["first", "second"]],
      [true, false, null, []],
      [false, true, null, []],
    ]);
    expect(nodes[a]?.tags.user_ids).toHaveLength(2);
    expect(nodes[b]?.api.attributes).not.toEqual([]);
    // The same call may unlock a node and change it.
    await change({
      [a]: { tags_removed: ["second", "no such"], colour: null },
      [c]: { locked: false, disabled: true },
    });
    const after = await read();
    expect([a, c].map((id) => after.nodes[id] && shown(after.nodes[id]))).toEqual([
      [false, false, null, ["first"]],
      [true, false, null, []],
    ]);
  });

  it("changes none when one is locked, gone or of another workflow", async () => {
    const [a, locked] = [await add("A"), await add("Kept")];
    await cast.owner.patch(`/api/v3/objects/${locked}`, { locked: true });
    const elsewhere = await buildGraph(cast, (await buildProject(cast)).id);
    const other = (await addNode(cast.owner, elsewhere, "B")).metadata_id;
    const before = await read();
    const refused = await change(alike([a, locked], { disabled: true }));
    expect([refused.status, refused.text]).toEqual([409, "“Kept” is locked. Nothing was changed."]);
    for (const id of [other, 999_999]) {
      const answer = await change(alike([a, id], { disabled: true }));
      expect([answer.status, answer.text]).toEqual([
        404,
        "One of these nodes is no longer there. Nothing was changed.",
      ]);
    }
    expect(await read()).toEqual(before);
    expect((await readGraph(cast.owner, elsewhere)).nodes[other]?.api.disabled).toBe(false);
  });

  it("changes none when one would have too many tags", async () => {
    const [a, full] = [await add("A"), await add("Full")];
    const tags = (from: number, count: number) => Array.from({ length: count }, (_, at) => `tag ${from + at}`);
    expect((await change({ [full]: { tags_added: tags(0, 50) } })).status).toBe(200);
    const before = await read();
    const refused = await change(alike([a, full], { tags_added: ["one more"] }));
    expect([refused.status, refused.text]).toEqual([400, "That is too many tags for one node."]);
    expect(await read()).toEqual(before);
    expect((await change(alike([a, full], { tags_removed: tags(0, 25), tags_added: ["one more"] }))).status).toBe(200);
  });

  it.each([
    ["nothing", {}, "Choose at least one node."],
    ["5,001 nodes", Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [at + 1, {}])), "At most 5000 nodes"],
    ["names that are no numbers", { one: { locked: true } }, "Changes are named by metadata_id."],
    ["a maybe", { 1: { disabled: "perhaps" } }, "disabled must be true or false."],
    ["a colour by name", { 1: { colour: "red" } }, "A colour is written #rrggbb."],
    ["an empty tag", { 1: { tags_added: [" "] } }, "Tag is required."],
    ["a list", [1, 2], "Changes are named by metadata_id."],
  ])("refuses %s", async (_what, changes, words) => {
    const answer = await change(changes);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
  });
});

describe("deleting and restoring", () => {
  it("deletes groups too, and restores edges and groups in one change", async () => {
    const [a, b, c] = [await add("A"), await add("B"), await add("C")];
    const edge = ends(a, "output", b, "input");
    await cast.owner.post("/api/v3/objects/edges", edge);
    await cast.owner.put("/api/v3/objects/edges", { ...edge, segments: '[{"x":1,"y":2}]', label: "rows" });
    const group = (
      await post("groups", { name: "Load", colour: "#00ff00", metadata_ids: [a, c] })
    ).json<ChangedGroup>();
    const before = await read();
    const gone = (
      await post("delete", { metadata_ids: [c], edges: [edge], groups: [group.id] })
    ).json<DeleteManyResponse>();
    expect([gone.deleted_nodes, gone.deleted_edges.length, gone.deleted_groups]).toEqual([[c], 1, [group.id]]);
    const { revision: _revision, ...shown } = group;
    const body = {
      metadata_ids: [c],
      edges: [{ ...edge, segments: [{ x: 1, y: 2 }], label: "rows" }],
      groups: [shown],
    };
    const back = (await post("restore", body)).json<PasteResponse>();
    expect([back.revision, back.groups]).toEqual([gone.revision + 1, [shown]]);
    const after = await read();
    expect([after.edges, after.groups]).toEqual([before.edges, before.groups]);
    // Again: existing ones stay as they are.
    expect((await post("restore", { ...body, metadata_ids: [] })).status).toBe(200);
    expect([(await read()).edges, (await read()).groups]).toEqual([before.edges, before.groups]);
  });

  it("answers with the stored bends and label of an edge that somebody drew again before it is restored", async () => {
    const [a, b] = [await add("A"), await add("B")];
    const edge = ends(a, "output", b, "input");
    await cast.owner.post("/api/v3/objects/edges", edge);
    await cast.owner.put("/api/v3/objects/edges", { ...edge, segments: '[{"x":5,"y":6}]', label: "theirs" });
    const stored = (await read()).edges.find(({ destination_wob_key }) => destination_wob_key === b);
    const sent = { ...edge, segments: [{ x: 1, y: 2 }], label: "mine" };
    const back = (await post("restore", { edges: [sent, sent] })).json<PasteResponse>();
    expect(back.edges).toEqual([stored]);
    expect(stored).toMatchObject({ segments: [{ x: 5, y: 6 }], label: "theirs" });
  });

  it("restores no invalid edge, nor one at a locked node", async () => {
    const [a, b] = [await add("A"), await add("B")];
    const policy = (await addNode(cast.owner, graph, "P", "COMPUTE_POLICY")).metadata_id;
    const wrong = await post("restore", { edges: [ends(policy, "compute", a, "storage")] });
    expect([wrong.status, wrong.text]).toEqual([400, "These two attributes are of different kinds."]);
    await cast.owner.patch(`/api/v3/objects/${b}`, { locked: true });
    const locked = await post("restore", { edges: [ends(a, "output", b, "input")] });
    expect([locked.status, locked.text]).toEqual([409, "This node is locked."]);
    const nowhere = await post("restore", { edges: [ends(a, "output", 999_999, "input")] });
    expect([nowhere.status, nowhere.text]).toEqual([404, "None of these nodes can be brought back."]);
    expect((await read()).edges).toEqual([]);
  });
});
