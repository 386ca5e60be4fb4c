import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { CommitPage } from "@miranda/contract/schemas/code.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";
import type { RestoredVersion } from "@miranda/contract/schemas/versions.ts";
import { applyChange } from "@miranda/contract/graph/apply-change.ts";
import { contentOf } from "@miranda/contract/graph/content.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { renameMeanwhile } from "../../testing/versions/change-meanwhile.ts";
import { finishChore } from "../../testing/finish-chore.ts";
import { readGraph, setApi } from "../../testing/editor.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { connect, until } from "../../testing/test-socket.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { script, Workbench } from "../../testing/workbench.ts";
import { fileQueries } from "../nodes/files-queries.ts";

const sender = `from miranda import Field, Node, Secret, Transmitter

class Send(Node):
    value = Field(1)
    key = Field("", control=Secret())
    output = Transmitter("number")

    def run(self):
        self.output.send(self.value)
`;
const receiver = `from miranda import Node, Receiver

class Take(Node):
    input = Receiver("number")

    def run(self):
        print(self.input)
`;

let server: TestServer;
let bench: Workbench;
let [from, to] = [0, 0];
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  bench = await Workbench.open(server);
  from = await bench.node(sender, "Send");
  to = await bench.node(receiver, "Take");
  await bench.edge(from, "output", to, "input");
  return () => bench.close();
});

const versions = () => versionsOf(bench.owner, bench.graphId);
const look = () => readGraph(bench.owner, bench.graphId);
const setValue = (name: string, value: string | number) =>
  bench.owner.patch(`/api/v3/objects/${from}/attributes/${name}`, { attribute_value: value });
const valueOf = async (name: string, id = from) =>
  (await look()).nodes[id]?.api.attributes.find((attribute) => attribute.name === name)?.value;

/** Without what a restore makes anew. */
async function shape() {
  const { nodes, edges, groups } = await look();
  return {
    nodes: Object.values(nodes).map(({ last_updated: _time, time_created: _made, id: _id, ...node }) => node),
    edges,
    groups: groups.map(({ id: _id, ...group }) => group),
  };
}

describe("restoring a version", () => {
  it("keeps in the version before it what somebody changed after it was read, and overwrites nothing else", async () => {
    await versions().made("First");
    await setValue("value", 6);
    const { lineages } = await versions().graph(1);
    const only = { nodes: [lineages[from]] };
    const renamed = { from: "Take", to: "Renamed meanwhile" };
    const answer = await renameMeanwhile(server.db, bench.graphId, renamed, () => versions().restore(1, only));
    expect(answer.status).toBe(200);
    expect([await valueOf("value"), (await look()).nodes[to]?.name]).toEqual([1, renamed.to]);
    const before = await versions().graph(answer.json<RestoredVersion>().before.id);
    expect(before.nodes[to]?.name).toBe(renamed.to);
  });

  it("brings back code, values, settings, edges, groups and deleted nodes with their numbers, as one change", async () => {
    await bench.owner.post(`/api/v3/graphs/${bench.graphId}/groups`, {
      name: "Both",
      metadata_ids: JSON.stringify([from, to]),
    });
    await setValue("value", 5);
    const before = await shape();
    await versions().made("First");
    await setValue("value", 6);
    await bench.code(from, script("pass"));
    await bench.owner.patch(`/api/v3/objects/${from}`, { name: "Other", colour: "#ff0000" });
    await bench.owner.delete(`/api/v3/objects/${to}`);
    const extra = await bench.node(script("pass"), "Extra");
    const since = bench.listener.received.length;
    const content = contentOf(await look());
    const { revision, before: kept } = await versions().restored(1);
    expect(await shape()).toEqual(before);
    expect(kept).toMatchObject({ reason: "restore", number: null, revision: revision - 1, nodes: 2 });
    const change = await bench.listener.wait<GraphChange>("update[GRAPH]", (one) => one.revision === revision, since);
    expect(change).toMatchObject({ by: bench.owner.account.username, deleted_nodes: [extra] });
    const applied = applyChange(content, change);
    const now = contentOf(await look());
    expect(applied?.nodes).toEqual(now.nodes);
    expect(Object.values(applied?.edges ?? {})).toEqual(Object.values(now.edges));
    expect(applied?.groups).toEqual(now.groups);
  });

  it("is undone by restoring the version that it kept", async () => {
    await versions().made("First");
    await bench.owner.delete(`/api/v3/objects/${to}`);
    const extra = await bench.node(script("print(1)"), "Extra");
    const changed = await shape();
    const { before } = await versions().restored(1);
    expect((await look()).nodes[extra]).toBeUndefined();
    await versions().restored(before.id);
    expect(await shape()).toEqual(changed);
  });

  it("brings back a node that was deleted more than a day ago with its number", async () => {
    await versions().made("First");
    await bench.owner.delete(`/api/v3/objects/${to}`);
    await sql`delete from deleted_nodes`.execute(server.db);
    await versions().restored(1);
    const { nodes, edges } = await look();
    expect([nodes[to]?.name, edges.length]).toEqual(["Take", 1]);
  });

  it("commits the code that changes, and no other", async () => {
    await versions().made("First");
    await bench.code(from, script("pass"));
    await versions().restored(1);
    const { commits } = (await bench.owner.get(`/api/v3/objects/${from}/commits`)).json<CommitPage>();
    expect(commits[0]).toMatchObject({ message: "Restore version 1: First" });
    expect((await bench.owner.get(`/api/v3/objects/${to}/commits`)).json<CommitPage>().commits).toEqual([]);
  });

  it("leaves code that somebody has typed and not committed", async () => {
    await versions().made("First");
    await bench.code(from, script("pass"));
    const socket = await connect(server, bench.owner);
    await socket.enter(bench.graphId);
    const shared = new SharedCode(from);
    await shared.open(socket);
    await until(() => shared.epoch !== null, "no document came");
    shared.type(0, "# not done\n");
    const drafts = async () => (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/drafts`)).json<unknown[]>();
    await expect.poll(drafts).toHaveLength(1);
    await versions().restored(1);
    expect((await look()).nodes[from]?.source_code).toBe(sender);
    expect(await drafts()).toHaveLength(1);
    expect(shared.text).toMatch(/^# not done\n/);
    socket.close();
  });

  it("asks everybody to fetch the workflow when more than 300 nodes change", async () => {
    await sql`insert into nodes (id, graph_id, class, name) select gen_random_uuid(), ${bench.graphId}, 'Code_block', 'Many'
      from generate_series(1, 400)`.execute(server.db);
    await versions().made("First");
    await sql`update nodes set name = 'Other' where graph_id = ${bench.graphId}`.execute(server.db);
    const since = bench.listener.received.length;
    const { revision } = await versions().restored(1);
    const change = await bench.listener.wait<GraphChange>("update[GRAPH]", (one) => one.revision === revision, since);
    expect([change.reload, change.nodes]).toEqual([true, undefined]);
    expect(Object.values((await look()).nodes).filter(({ name }) => name === "Many").length).toBe(400);
  });

  it("keeps secret values and git credentials that the nodes have now, and shows none in the version", async () => {
    await setValue("key", "hunter2");
    const git = "https://me:token@example.org/flow.git";
    // As older workflows have it.
    await sql`update nodes set git = ${git} where metadata_id = ${from}`.execute(server.db);
    await versions().made("First");
    for (const path of ["1/graph", "now/graph", "1/compare/now"]) {
      const { text } = await versions().get(path);
      expect([path, text.includes("hunter2"), text.includes("token@")]).toEqual([path, false, false]);
    }
    await bench.owner.patch(`/api/v3/objects/${from}`, { name: "Other" });
    await setValue("key", "hunter3");
    await versions().restored(1);
    expect(await valueOf("key")).toBe("hunter3");
    const row = await server.db.selectFrom("nodes").select("git").where("metadata_id", "=", from).executeTakeFirst();
    expect(row?.git).toBe(git);
    await bench.owner.delete(`/api/v3/objects/${from}`);
    await versions().restored(1);
    expect(await valueOf("key")).toBe("hunter3");
  });

  it("never shows a value that was secret as a plain one", async () => {
    const plain = { name: "key", kind: "text", direction: "RECEIVER_FIELD", value: "" };
    await setApi(bench.owner, from, [plain], "plain\n");
    await versions().made("Plain");
    await setApi(bench.owner, from, [{ ...plain, control: { type: "secret" } }], "secret\n");
    await setValue("key", "hunter2");
    await versions().restored(1);
    expect(await valueOf("key")).not.toBe("hunter2");
  });

  it("refuses to change or delete a locked node, names it, and changes nothing", async () => {
    await versions().made("First");
    const extra = await bench.node(script("pass"), "Extra");
    await bench.owner.patch(`/api/v3/objects/${from}`, { name: "Other" });
    for (const id of [from, extra]) {
      await bench.owner.patch(`/api/v3/objects/${id}`, { locked: true });
      const before = await shape();
      const refused = await versions().restore(1);
      const name = id === from ? "Other" : "Extra";
      expect([refused.status, refused.text]).toEqual([409, `“${name}” is locked. Nothing was changed.`]);
      expect(await shape()).toEqual(before);
      await bench.owner.patch(`/api/v3/objects/${id}`, { locked: false });
    }
    await versions().restored(1);
    await bench.owner.patch(`/api/v3/objects/${to}`, { locked: true });
    expect((await look()).nodes[to]?.locked).toBe(true);
    await versions().restored(1);
    expect((await look()).nodes[to]?.locked).toBe(false);
  });

  it("lets two people restore at once: one after the other, and nothing is doubled", async () => {
    await versions().made("First");
    await bench.owner.delete(`/api/v3/objects/${to}`);
    await versions().made("Second");
    await bench.owner.patch(`/api/v3/objects/${from}`, { name: "Other" });
    const answers = await Promise.all([versions().restore(1), versions().restore(2), versions().restore(1)]);
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
    await versions().restore(1);
    const { nodes, edges } = await look();
    expect([Object.values(nodes).map(({ name }) => name), edges.length]).toEqual([["Send", "Take"], 1]);
  });

  it("is possible while a session runs, and the next run uses it", async () => {
    await versions().made("First");
    await bench.start();
    await setValue("value", 2);
    await bench.run();
    await versions().restored(1);
    await bench.run();
    expect((await bench.lines()).map(([, text]) => text)).toEqual(expect.arrayContaining(["2", "1"]));
  });
});

describe("restoring single nodes", () => {
  it("brings back only these, with the edges that end at them", async () => {
    await versions().made("First");
    const { lineages } = await versions().graph(1);
    await bench.owner.patch(`/api/v3/objects/${from}`, { name: "Other" });
    await bench.owner.delete(`/api/v3/objects/${to}`);
    const extra = await bench.node(script("pass"), "Extra");
    await versions().restored(1, { nodes: [lineages[to]] });
    const { nodes, edges } = await look();
    expect([nodes[from]?.name, nodes[to]?.name, nodes[extra]?.name, edges.length]).toEqual([
      "Other",
      "Take",
      "Extra",
      1,
    ]);
    const { before } = await versions().restored(1, { nodes: [lineages[from]] });
    expect((await look()).nodes[from]?.name).toBe("Send");
    await versions().restored(before.id);
    expect((await look()).nodes[from]?.name).toBe("Other");
  });
});

describe("a file that only a version names", () => {
  it("is kept as long as the version, and restoring brings it back", async () => {
    const reader = `from miranda import Field, File, Node\n\nclass Read(Node):\n    data = Field(control=File())\n`;
    const id = await bench.node(reader, "Read");
    const form = new FormData();
    form.set("file", new File(["1,2"], "a.csv"));
    const value = (await bench.owner.send("POST", `/api/v3/objects/${id}/files`, form)).json<FileValue>();
    const set = (given: unknown) =>
      bench.owner.patch(`/api/v3/objects/${id}/attributes/data`, { attribute_value: JSON.stringify(given) });
    await set(value);
    await versions().made("With the file");
    await set(null);
    const age = () =>
      sql`update node_files set unused_since = unused_since - interval '2 days'
        where hash = ${value.file}`.execute(server.db);
    for (const _time of [1, 2, 3]) {
      await finishChore(fileQueries(server.db).removeUnused());
      await age();
    }
    await versions().restored(1);
    expect((await bench.owner.get(`/api/v3/objects/${id}/attributes/data/file`)).text).toBe("1,2");
  });
});
