import { runArgs } from "@miranda/contract/command-args.ts";
import { readPlace } from "@miranda/contract/error-headers.ts";
import type { RunPage } from "@miranda/contract/schemas/runs.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { deploymentOf } from "../../testing/deployments/deployments.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { giveToken, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let bench: Workbench;
let other: TestAccount;

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  other = await server.signUp("bea");
  await giveToken(other);
  await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, { user: "bea", role: "editor" });
  await bench.start();
});
afterAll(async () => {
  bench?.close();
  await server?.close();
});

const group = (control = "Json()") => `from miranda import *

class Group(Node):
    by = Field([], control=${control})
    size = Field(3)
    table = Receiver("table", optional=True)
    done = Transmitter("table")
    def run(self):
        print("by", self.by, "size", self.size)
        self.done.send(self.by)
`;
const unfit = (text: string) => JSON.stringify({ $unfit: text });
const words = 'Group and summarise: the field by must be JSON, such as "Stadt" or ["Stadt"].';

let id: number;
beforeEach(async () => {
  const nodes = (await bench.owner.get(`/api/v3/graphs/${bench.graphId}/graph`)).json<{ nodes: object }>().nodes;
  const metadata_ids = JSON.stringify(Object.keys(nodes).map(Number));
  await bench.owner.post(`/api/v3/graphs/${bench.graphId}/delete`, { metadata_ids });
  id = await bench.node(group(), "Group and summarise");
});

const set = (name: string, attribute_value: string, node = id, person = bench.owner) =>
  person.patch(`/api/v3/objects/${node}/attributes/${name}`, { attribute_value });
const read = async (node = id, person = bench.owner) => (await person.get(`/api/v3/objects/${node}`)).json<Node>();
const field = async (name: string, person = bench.owner) =>
  (await read(id, person)).api.attributes.find((attribute) => attribute.name === name);
const runs = async () => (await bench.owner.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json<RunPage>().runs;

it("R4 keeps what was typed for everybody, and refuses every way to run with it", async () => {
  expect((await set("by", unfit("Stadt"))).json()).toMatchObject({ value: { $unfit: "Stadt" }, default: [] });
  expect(await field("by", other)).toMatchObject({ value: { $unfit: "Stadt" }, default: [] });
  const before = (await runs()).length;

  for (const person of [bench.owner, other])
    for (const [command, args] of [
      ["run", runArgs({ mode: "changed" })],
      ["run", runArgs({ mode: "one", node: id })],
      ["start", "-1"],
      ["plan", runArgs({ mode: "all" })],
      ["run-setup", ""],
    ] as const) {
      const answer = await person.post(`/api/v3/graphs/${bench.graphId}/processor/${command}`, { args });
      expect([command, answer.status, answer.text]).toEqual([command, 409, words]);
      expect(answer.headers.get("x-miranda-error")).toBe("field_unfit");
      expect(readPlace(answer.headers)).toEqual({ node: id, field: "by" });
    }
  const checked = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/run-check`, { args: "" });
  expect([checked.status, checked.text]).toEqual([409, words]);
  expect(await runs()).toHaveLength(before);

  expect((await set("by", '["Stadt"]', id, other)).status).toBe(200);
  await bench.until("run", runArgs({ mode: "changed" }), "READY");
  expect((await bench.lines()).map(([, text]) => text)).toContain("by ['Stadt'] size 3");
});

it("still refuses a plain value that does not fit", async () => {
  const answer = await set("by", "Stadt");
  expect([answer.status, answer.text]).toEqual([400, 'by must be JSON, such as "Stadt" or ["Stadt"].']);
  expect(await field("by")).not.toHaveProperty("default");
});

it("does not stop runs of other nodes, of disabled nodes, and of fields whose value comes through an edge", async () => {
  const alone = await bench.node(group(), "Alone");
  await set("by", unfit("Stadt"));
  await bench.until("run", runArgs({ mode: "one", node: alone }), "READY");
  await bench.owner.patch(`/api/v3/objects/${id}/api`, { api: JSON.stringify({ disabled: true }) });
  await bench.until("run", runArgs({ mode: "all" }), "READY");
  await bench.owner.patch(`/api/v3/objects/${id}/api`, { api: JSON.stringify({ disabled: false }) });

  const source = await bench.node(
    "from miranda import *\n\nclass Choose(Node):\n    by = Constant(['port'])\n",
    "Choose",
  );
  await bench.edge(source, "by", id, "by");
  await bench.until("run", runArgs({ mode: "all" }), "READY");
  expect((await bench.lines()).map(([, text]) => text)).toContain("by ['port'] size 3");

  await bench.owner.patch(`/api/v3/objects/${source}/api`, { api: JSON.stringify({ disabled: true }) });
  expect((await bench.send("run", runArgs({ mode: "all" }))).text).toBe(words);
});

it("refuses an option that the code no longer has, and reads a typed text again when the code could read it", async () => {
  await bench.code(id, group('Select("fast", "safe")'));
  await set("by", "fast");
  await bench.code(id, group('Select("quick", "safe")'));
  const refused = await bench.send("run", runArgs({ mode: "all" }));
  expect(refused.text).toBe("Group and summarise: the field by must be one of quick, safe, not “fast”.");

  await set("by", unfit("Stadt"));
  await bench.code(id, group("Text()"));
  expect(await field("by")).toMatchObject({ value: "Stadt" });
  expect((await bench.send("run", runArgs({ mode: "all" }))).status).toBe(200);
});

it("keeps it in versions and copies, and releases no version that has it", async () => {
  await set("by", unfit("Stadt"));
  const graph = `/api/v3/graphs/${bench.graphId}`;
  const version = (await bench.owner.post(`${graph}/versions`, { name: "One", message: "" })).json<{
    number: number;
  }>();
  const copy = await bench.owner.post(`${graph}/clone`, { to_project: bench.projectId });
  const { nodes } = (await bench.owner.get(`/api/v3/graphs/${copy.json<{ id: string }>().id}/graph`)).json<{
    nodes: Record<string, Node>;
  }>();
  expect(Object.values(nodes)[0]?.api.attributes.find(({ name }) => name === "by")?.value).toEqual({ $unfit: "Stadt" });
  const form = { fields: [], outputs: [], steps: [] };
  const released = await deploymentOf(bench.owner, bench.graphId).deploy({
    ...{ name: "groups", title: "Groups" },
    release: { version: version.number, form },
  });
  expect([released.status, released.text]).toEqual([400, words]);
});
