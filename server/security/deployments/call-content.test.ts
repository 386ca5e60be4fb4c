import type { Call, CallPage } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Job, JobsResponse } from "@miranda/contract/schemas/processors.ts";
import type { RunDetails, RunPage } from "@miranda/contract/schemas/runs.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Role } from "../../testing/access.ts";
import { accessCells, statusInTable } from "../../testing/deployments/access-table.ts";
import { callsOf, serveAsProposed } from "../../testing/deployments/served.ts";
import { MlflowClient } from "../../testing/mlflow-client.ts";
import type { TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";
import { giveToken, listen, type SocketListener, Workbench } from "../../testing/workbench.ts";

// A public project with an app for its members. One member calls it. What the call was given, showed, printed and logged
// is for that member and for those who may change the workflow.

const secret = "the-tide-is-high";
const code = `from miranda import *

class Say(Node):
    word = Field("nothing", control=Text())
    result = Transmitter()
    def run(self):
        print("printed", self.word)
        log_metric("told", 4700 + 11.5)
        show("shown " + self.word)
        self.result.send("sent " + self.word)
        if self.word.startswith("bad"):
            raise ValueError(self.word)
`;

let server: TestServer;
let people: Record<Role, TestClient>;
let caller: TestAccount;
let bench: Workbench;
let app: Deployment;
let call: Call;
let failed: Call;
let jobId: string;
let sockets: Record<"viewer" | "stranger" | "editor", SocketListener>;

beforeAll(async () => {
  server = await startTestServer();
  const admin = await server.signUp("admin");
  bench = await Workbench.open(server);
  const at = `/api/v3/projects/${bench.projectId}`;
  const [editor, viewer, stranger] = [await server.signUp(), await server.signUp(), await server.signUp()];
  caller = await server.signUp("caller");
  await bench.owner.patch(at, { visibility: "public" });
  await bench.owner.post(`${at}/members`, { user: editor.account.username, role: "editor" });
  for (const { account } of [viewer, caller])
    await bench.owner.post(`${at}/members`, { user: account.username, role: "viewer" });
  people = { admin, owner: bench.owner, editor, viewer, stranger, anonymous: server.anonymous() };
  await bench.node(code, "Say");
  app = await serveAsProposed(bench, { name: "says" });
  sockets = {
    viewer: await listen(server, viewer, app.id),
    stranger: await listen(server, stranger, app.id),
    editor: await listen(server, editor, app.id),
  };
  call = await callsOf(caller, "says").done({ word: secret });
  failed = await callsOf(caller, "says").done({ word: `bad ${secret}` });
  const run = (await bench.owner.get(`/api/v3/runs/${call.id}`)).json<RunDetails>();
  jobId = run.session.id;
});
afterAll(async () => {
  for (const socket of Object.values(sockets)) socket.close();
  await server.close();
});

const clientOf = async (account: TestClient) =>
  new MlflowClient(server, bench.projectId, await giveToken(account as TestAccount));
const hex = (): string => call.id.replaceAll("-", "");
const contents = ["/outputs", "/logs", "/metrics", "/artifacts"];

/** The worst of several answers, as the table writes it. */
async function alike(...sent: Promise<{ status: number }>[]): Promise<number> {
  const statuses = new Set((await Promise.all(sent)).map(({ status }) => statusInTable(status)));
  expect([...statuses]).toHaveLength(1);
  return [...statuses][0] ?? 0;
}

const attempts: Record<string, (client: TestClient) => Promise<number>> = {
  "run of a call: read its state": async (client) => {
    const answers = await Promise.all([
      client.get(`/api/v3/runs/${failed.id}`),
      client.get(`/api/v3/runs?graph_id=${bench.graphId}`),
    ]);
    if (client === people.viewer || client === people.stranger)
      for (const answer of answers) expect(answer.text).not.toContain(secret);
    return alike(...answers.map(async (answer) => answer));
  },
  "run of a call: outputs, log, metrics, files": (client) =>
    alike(...contents.map((path) => client.get(`/api/v3/runs/${call.id}${path}`))),
  "run of a call: compare it": async (client) => {
    const answer = await client.get(`/api/v3/models/compare?items=${call.id},${failed.id}`);
    return answer.status;
  },
  "session that serves calls: read its state": async (client) => {
    const answer = await client.get(`/api/v3/jobs/${jobId}`);
    if (answer.status === 200 && (client === people.viewer || client === people.stranger))
      expect(answer.json<Job>().logs).toEqual([]);
    return answer.status;
  },
  "session that serves calls: outputs": async (client) => (await client.get(`/api/v3/jobs/${jobId}/outputs`)).status,
};

describe("who may see what of a call", () => {
  const cells = accessCells((resource) => /^(run of a call|session that serves calls)$/.test(resource));

  it("has an attempt for each row of the table, and a row for each attempt", () => {
    const rows = new Set(cells.map(({ resource, operation }) => `${resource}: ${operation}`));
    expect([...rows].toSorted()).toEqual(Object.keys(attempts).toSorted());
  });

  it.each(cells)("$resource, $operation: $role gets $status", async ({ resource, operation, role, status }) => {
    expect(await attempts[`${resource}: ${operation}`]?.(people[role])).toBe(status);
  });
});

describe("a call of somebody else", () => {
  it("is nowhere in what a reader of the project is sent", async () => {
    const paths = [
      ...["", ...contents, "/usage", "/graph", "/models"].map((path) => `/api/v3/runs/${failed.id}${path}`),
      ...["", "/outputs", "/nodes", "/packages"].map((path) => `/api/v3/jobs/${jobId}${path}`),
      ...["", "/calls", "/sessions", "/releases"].map((path) => `/api/v3/graphs/${bench.graphId}/deployment${path}`),
      ...[`/api/v3/runs?graph_id=${bench.graphId}`, "/api/v3/jobs?log_lines=100", `/api/v3/search?query=${secret}`],
      ...["", "/events", "/files/1", "/inputs/word"].map((path) => `/api/v3/deployments/says/runs/${failed.id}${path}`),
      ...[`/api/v3/graphs/${bench.graphId}/processor/logs`, `/api/v3/projects/${bench.projectId}/experiments`],
      `/api/v3/projects/${bench.projectId}/experiments/1/plot`,
    ];
    for (const role of ["viewer", "stranger"] as const)
      for (const path of paths) {
        const { text } = await people[role].get(path);
        expect([path, text.includes(secret), text.includes("4711")]).toEqual([path, false, false]);
      }
  });

  it("is counted in the list of calls, and says no more than its state to a reader", async () => {
    const path = `/api/v3/graphs/${bench.graphId}/deployment/calls`;
    const [first] = (await people.stranger.get(path)).json<CallPage>().calls;
    expect(first).toMatchObject({ id: failed.id, state: "failed", inputs: {} });
    expect([first?.by, first?.cost]).toEqual([undefined, undefined]);
    const [shown] = (await people.editor.get(path)).json<CallPage>().calls;
    expect(shown).toMatchObject({ by: { username: "caller" }, inputs: { word: `bad ${secret}` } });
  });

  it("says who called and why it failed to those who may change the workflow", async () => {
    const { runs } = (await people.editor.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json<RunPage>();
    expect(runs[0]).toMatchObject({ by: { username: "caller" }, reason: `ValueError: bad ${secret}` });
    const [hidden] = (await people.viewer.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json<RunPage>().runs;
    expect(hidden).toMatchObject({ by: null, reason: "", failed_node: null, state: "failed", nodes: { failed: 1 } });
  });

  it("is read by who made it, on every route", async () => {
    for (const path of contents) expect((await caller.get(`/api/v3/runs/${call.id}${path}`)).status).toBe(200);
    const { text } = await caller.get(`/api/v3/runs/${call.id}/logs`);
    expect(text).toContain(`printed ${secret}`);
    expect((await caller.get(`/api/v3/runs/${failed.id}`)).json<RunDetails>().exceptions).toHaveLength(1);
    // The log of the session has the lines of other callers, too.
    expect((await caller.get(`/api/v3/jobs/${jobId}`)).json<Job>().logs).toEqual([]);
    expect((await caller.get("/api/v3/jobs?log_lines=100")).text).not.toContain(secret);
    const { running } = (await bench.owner.get("/api/v3/jobs?log_lines=100")).json<JobsResponse>();
    expect(JSON.stringify(running.map(({ logs }) => logs))).toContain(secret);
  });

  it("shows nothing but states in the room of the app, except to those who may change the workflow", async () => {
    await sockets.editor.wait("output", ({ data }: { data: object }) => JSON.stringify(data).includes(secret));
    // The last call's end came after all its lines.
    for (const role of ["viewer", "stranger"] as const) {
      await sockets[role].wait("update[CALL]", ({ call_id, state }: { call_id: string; state: string }) => {
        return call_id === failed.id && state === "failed";
      });
      const names = new Set(sockets[role].received.map(({ event }) => event));
      expect(names.has("update[CALL]")).toBe(true);
      expect(JSON.stringify(sockets[role].received)).not.toContain(secret);
      for (const name of ["output", "exception", "break", "run_metrics"]) expect(names.has(name)).toBe(false);
      expect([...names].filter((name) => name.startsWith("logs"))).toEqual([]);
    }
  });
});

describe("what a call logged with MLflow", () => {
  it("is for who called and for editors: runs, metrics, searches and files", async () => {
    const [editor, viewer, stranger, own] = [
      await clientOf(people.editor),
      await clientOf(people.viewer),
      await clientOf(people.stranger),
      await clientOf(caller),
    ];
    await editor.post("runs/log-parameter", { run_id: hex(), key: "word", value: secret });
    const { run } = await editor.get<{ run: { info: { experiment_id: string } } }>("runs/get", { run_id: hex() });
    const experiment = run.info.experiment_id;
    const file = `${experiment}/${hex()}/artifacts/words.txt`;
    expect((await editor.putFile(file, secret)).status).toBe(200);
    const logged = await editor.post<{ model: { info: { model_id: string } } }>("logged-models", {
      ...{ experiment_id: experiment, name: "words", source_run_id: hex() },
      params: [{ key: "word", value: secret }],
    });
    const model = logged.model.info.model_id;
    const search = { experiment_ids: [experiment] };
    for (const client of [viewer, stranger]) {
      for (const query of [{ run_id: hex() }, { run_uuid: hex() }, { run_id: hex().toUpperCase() }])
        expect((await client.refused("GET", "runs/get", query))[0]).toBe(404);
      const metric = { metric_key: "told" };
      expect((await client.refused("GET", "metrics/get-history", { ...metric, run_id: hex() }))[0]).toBe(404);
      expect((await client.refused("GET", "metrics/get-history-bulk", { ...metric, run_id: [hex()] }))[0]).toBe(404);
      const interval = { ...metric, run_ids: [hex()] };
      expect((await client.refused("GET", "metrics/get-history-bulk-interval", interval))[0]).toBe(404);
      expect((await client.refused("GET", "artifacts/list", { run_id: hex() }))[0]).toBe(404);
      expect((await client.getFile(file)).status).toBe(404);
      expect((await client.listFiles(`${experiment}/${hex()}/artifacts`)).status).toBe(404);
      expect((await client.refused("GET", `logged-models/${model}`))[0]).toBe(404);
      expect(JSON.stringify(await client.post("runs/search", search))).not.toContain(secret);
      expect(JSON.stringify(await client.post("logged-models/search", search))).not.toContain(secret);
    }
    for (const client of [own, editor]) {
      expect(JSON.stringify(await client.post("runs/search", search))).toContain(secret);
      expect((await client.getFile(file)).text).toBe(secret);
    }
    const page = `/api/v3/projects/${bench.projectId}/experiments/${experiment}`;
    for (const role of ["viewer", "stranger"] as const) {
      expect((await people[role].get(`${page}/plot`)).text).not.toContain(secret);
      for (const path of ["", "/artifacts"])
        expect((await people[role].get(`${page}/runs/${hex()}${path}`)).status).toBe(404);
    }
    expect((await caller.get(`${page}/plot`)).text).toContain(secret);
  });
});
