import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";

import { hashToken, newId } from "../../platform/crypto.ts";
import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { ForgedRun } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { Workbench } from "../../testing/workbench.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => {
  await server.close();
});

const everything = `from miranda import *

class Make(Node):
    data = Field(control=File())
    shown = Field("a", control=Text())
    number = Transmitter()
    rows = Transmitter()
    picture = Transmitter()
    report = Transmitter()
    missing = Transmitter()
    odd = Transmitter()
    def run(self):
        text = self.data.read_text() if self.data else "nothing"
        self.number.send(1)
        self.number.send(len(text))
        self.rows.send([{"a": 1, "b": text}, {"a": 2, "b": None}])
        self.picture.send(b"\\x89PNG\\r\\n\\x1a\\n" + b"0" * 10)
        self.report.send(OutputFile("../re port\\u202e.csv", "a,b\\n1," + text, "text/csv"))
        self.odd.send({"nan": float("nan")})
        show(OutputFile("shown.txt", self.shown))
`;

it("outputs are values, tables, pictures and files that callers download", async () => {
  const bench = await Workbench.open(server);
  await bench.node(everything, "Make");
  await serveAsProposed(bench, { name: "makes" });
  const form = new FormData();
  form.set("data", new File(["tide"], "data.txt", { type: "text/plain" }));
  form.set("shown", "what people see");
  const made = await bench.owner.send("POST", "/api/v3/deployments/makes/runs?wait=60", form);
  expect(made.status).toBe(200);
  const call = made.json<Call>();
  expect(call).toMatchObject({
    state: "done",
    result: {
      number: 4,
      rows: [
        { a: 1, b: "tide" },
        { a: 2, b: null },
      ],
    },
  });
  const named = (name: string) => call.outputs.filter((output) => output.name === name);
  expect(named("picture")[0]?.data["image/png"]).toMatch(/^iVBOR/);
  expect(named("missing")).toEqual([]);
  expect(named("odd")[0]?.data["application/json"]).toEqual({ nan: null });
  const report = named("report")[0];
  expect(report?.file).toEqual({ name: "re port.csv", type: "text/csv", size: 10 });
  const file = await bench.owner.get(`/api/v3/deployments/makes/runs/${call.id}/files/${report?.number}`);
  expect([file.status, file.text]).toEqual([200, "a,b\n1,tide"]);
  expect(file.headers.get("content-disposition")).toContain("attachment");

  // The next call has its own values again, and cannot read the file of the one before.
  const next = await callsOf(bench.owner, "makes").done({});
  expect(next.result).toMatchObject({ number: 7 });
});

it("a session reads a sent file only while it serves the call", async () => {
  const bench = await Workbench.open(server);
  await bench.node(everything, "Make");
  const { id: deploymentId } = await serveAsProposed(bench, { name: "keeps" });
  const form = new FormData();
  form.set("data", new File(["secret tide"], "data.txt", { type: "text/plain" }));
  const made = await bench.owner.send("POST", "/api/v3/deployments/keeps/runs?wait=60", form);
  const { id } = made.json<Call>();
  const { hash } = await server.db
    .selectFrom("call_files")
    .select("hash")
    .where("call_id", "=", id)
    .executeTakeFirstOrThrow();
  const token = newId();
  const jobId = newId();
  await server.db
    .insertInto("jobs")
    .values({
      ...{ id: jobId, tag: 1, graph_id: bench.graphId, account_id: bench.owner.account.id, name: "x" },
      ...{
        engine: "local",
        state: "RUNNING",
        token_hash: hashToken(token),
        total_cost: null,
        deployment_id: deploymentId,
      },
      seen_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
  const agent = server.anonymous();
  const ask = () =>
    agent.send("POST", `/api/runner/${jobId}/file`, JSON.stringify({ file: hash }), {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
    });
  expect((await ask()).json()).toHaveProperty("error");
  await server.db.updateTable("calls").set({ job_id: jobId, ended_at: null }).where("id", "=", id).execute();
  expect(Buffer.from((await ask()).json<{ content: string }>().content, "base64").toString()).toBe("secret tide");
  await server.db.updateTable("calls").set({ ended_at: new Date() }).where("id", "=", id).execute();
  expect((await ask()).json()).toHaveProperty("error");
});

it("a file's size and name are what the server finds, whatever node code claims", async () => {
  const bench = await Workbench.open(server);
  const node = await bench.node("from miranda import *\n\nclass A(Node):\n    def run(self):\n        pass\n", "A");
  const forged = await ForgedRun.begin(server, bench);
  const claimed = { "application/vnd.miranda.file+json": { name: "../x", type: "text/html", size: 1e9 } };
  const output = { kind: "output", node, run: 1, metadata: {} };
  const file = { name: "a/b\\c\u0007.txt", type: "text/plain", content: Buffer.from("four").toString("base64") };
  await forged.post(
    { ...output, number: 1, data: { "text/plain": "a", ...claimed } },
    { ...output, number: 2, data: { "text/plain": "b", ...claimed }, file },
  );
  const rows = await server.db
    .selectFrom("job_outputs")
    .select(["data", "bytes"])
    .where("job_id", "=", forged.jobId)
    .orderBy("number")
    .execute();
  expect(rows[0]?.data).toEqual({ "text/plain": "a" });
  expect(rows[1]?.data["application/vnd.miranda.file+json"]).toEqual({ name: "c.txt", type: "text/plain", size: 4 });
});

it("an output that is replaced takes the content of its file with it", async () => {
  const bench = await Workbench.open(server);
  const node = await bench.node("from miranda import *\n\nclass A(Node):\n    def run(self):\n        pass\n", "A");
  const forged = await ForgedRun.begin(server, bench);
  const output = { kind: "output", node, run: 1, number: 1, metadata: {}, data: { "text/plain": "a" } };
  const fileOf = (text: string) => ({
    name: "a.txt",
    type: "text/plain",
    content: Buffer.from(text).toString("base64"),
  });
  const contents = async () =>
    (
      await sql<{ content: Buffer }>`select content from job_output_files where job_id = ${forged.jobId}`.execute(
        server.db,
      )
    ).rows.map(({ content }) => content.toString());
  await forged.post({ ...output, id: "a", file: fileOf("first") });
  expect(await contents()).toEqual(["first"]);
  await forged.post({ ...output, id: "a", file: fileOf("second") });
  expect(await contents()).toEqual(["second"]);
  // Without an id it replaces nothing.
  expect(await forged.post({ ...output, file: fileOf("third") })).toBe(200);
  expect(await contents()).toEqual(["second"]);
  await forged.post({ ...output, id: "a" });
  expect(await contents()).toEqual([]);
  await forged.post({ ...output, file: fileOf("fourth") });
  expect(await contents()).toEqual([]);
});
