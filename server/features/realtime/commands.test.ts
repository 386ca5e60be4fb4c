import { applyChange } from "@miranda/contract/graph/apply-change.ts";
import type { Command } from "@miranda/contract/graph/commands/command.ts";
import { createGraphCalls } from "@miranda/contract/graph/commands/graph-calls.ts";
import { applyCommand, broadcastsOf, callCommand, inverseOf } from "@miranda/contract/graph/commands/registry.ts";
import { contentOf, type GraphContent } from "@miranda/contract/graph/content.ts";
import { parseBroadcast } from "@miranda/contract/schemas/broadcasts.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph, setApi } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

// What a browser shows before the server's answer must be what the server then does.

const ids = { a: 0, b: 0, c: 0, policy: 0 };
let groupId = "";
const ends = () => ({
  source_wob_key: ids.a,
  source_transmitter_key: "output",
  destination_wob_key: ids.b,
  destination_receiver_key: "input",
});
const otherEnds = () => ({ ...ends(), source_wob_key: ids.b, destination_wob_key: ids.c });

const steps: Record<string, () => Command> = {
  "renames a node and locks it": () => ({ type: "patch", id: ids.c, changes: { name: "Other", locked: true } }),
  "unlocks it": () => ({ type: "patch", id: ids.c, changes: { locked: false } }),
  "changes a policy": () => ({ type: "patch", id: ids.policy, changes: { name: "Large", colour: "#aabbcc" } }),
  "moves one node": () => ({ type: "move", positions: { [ids.a]: { x: 5, y: 6 } } }),
  "moves two nodes": () => ({ type: "move", positions: { [ids.a]: { x: 1, y: 2 }, [ids.b]: { x: 3, y: 4 } } }),
  "sets a value": () => ({ type: "set", id: ids.a, name: "rate", value: 0.9 }),
  "unsets a value": () => ({ type: "unset", id: ids.a, name: "rate" }),
  "disables a node": () => ({ type: "change", changes: { [ids.b]: { disabled: true } } }),
  "tags a node": () => ({ type: "change", changes: { [ids.b]: { tags_added: ["slow"] } } }),
  "changes several nodes": () => ({
    type: "change",
    changes: {
      [ids.a]: { colour: "#112233", tags_added: ["x"] },
      [ids.b]: { disabled: false, tags_removed: ["slow"] },
    },
  }),
  "draws an edge": () => ({ type: "connect", ends: ends() }),
  "bends and labels an edge": () => ({
    type: "draw",
    ends: ends(),
    drawing: { segments: [{ x: 1, y: 2 }], label: "rows" },
  }),
  "deletes an edge": () => ({ type: "disconnect", ends: ends() }),
  "draws two edges": () => ({
    type: "several",
    commands: [
      { type: "connect", ends: ends() },
      { type: "connect", ends: otherEnds() },
    ],
  }),
  "groups nodes": () => ({ type: "group", fields: { name: "Group", metadata_ids: [ids.a, ids.b] } }),
  "collapses the group": () => ({ type: "regroup", id: groupId, fields: { collapsed: true, name: "Folded" } }),
  "deletes a node with its edges": () => ({ type: "delete", ids: [ids.b], edges: [], groups: [] }),
  "renames a node and deletes it, in one step": () => ({
    type: "several",
    commands: [
      { type: "patch", id: ids.policy, changes: { name: "Last name" } },
      { type: "delete", ids: [ids.policy], edges: [], groups: [] },
    ],
  }),
  "deletes a node, and a group": () => ({ type: "delete", ids: [ids.c], edges: [], groups: [groupId] }),
};

/** Without what only the server knows: times, and who has tagged a node. */
function comparable({ nodes, edges, groups }: GraphContent) {
  const shown = Object.entries(nodes).map(([id, { last_updated: _time, tags, ...node }]) => [
    id,
    { ...node, tags: tags.tags },
  ]);
  return { edges, groups, nodes: Object.fromEntries(shown) as Record<string, unknown> };
}

it("shows every command as the server then stores it, and undoes it by its inverse", async () => {
  const graph = await buildGraph(cast, (await buildProject(cast)).id);
  for (const name of ["a", "b", "c"] as const) ids[name] = (await addNode(cast.owner, graph, name)).metadata_id;
  ids.policy = (await addNode(cast.owner, graph, "P", "COMPUTE_POLICY")).metadata_id;
  const ports = [
    { name: "input", kind: "any", direction: "RECEIVER" },
    { name: "output", kind: "any", direction: "TRANSMITTER", edge_text: "rows" },
    { name: "rate", kind: "float", direction: "RECEIVER_FIELD", value: 0.5, control: { type: "number" } },
  ];
  await setApi(cast.owner, ids.a, ports);
  const calls = createGraphCalls(graph, async (path, { method, fields = {} }) => {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    const form = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
    const answer = await cast.owner.send(method, path, form);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json();
  });
  const follower = await connect(server, cast.editor);
  await follower.enter(graph);
  let content = contentOf(await readGraph(cast.owner, graph));

  async function perform(command: Command, name: string): Promise<Command | undefined> {
    for (const { channel, data } of broadcastsOf(command, content))
      expect(parseBroadcast(channel, data), `${name}: the broadcast on ${channel} is valid`).toBeDefined();
    const expected = applyCommand(content, command);
    const inverse = inverseOf(content, command);
    const answer = await callCommand(calls, command, content);
    const shown = answer.settle?.(expected) ?? expected;
    const stored = contentOf(await readGraph(cast.owner, graph));
    expect(comparable(shown), `${name}: what is shown is what is stored`).toEqual(comparable(stored));
    await follower.next<GraphChange>("update[GRAPH]", ({ revision }) => revision === answer.revision);
    content = stored;
    return answer.inverse ?? inverse;
  }

  for (const [name, step] of Object.entries(steps)) {
    const start = comparable(content);
    const inverse = await perform(step(), name);
    if (!inverse) throw new Error(`${name} cannot be undone`);
    await perform(inverse, `${name}, undone`);
    expect(comparable(content), `${name} leaves nothing behind when it is undone`).toEqual(start);
    await perform(step(), `${name}, done again`);
    groupId = Object.keys(content.groups)[0] ?? groupId;
  }

  const changes = follower.all<GraphChange>("update[GRAPH]");
  expect(changes.length).toBeGreaterThan(Object.keys(steps).length * 3);
  follower.close();
  expect(applyChange(content, { graph_id: graph, revision: 1, by: "owner" })).toBe(content);
});
