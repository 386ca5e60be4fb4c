import { RunDetails } from "@miranda/contract/schemas/runs.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graphId: string;
let runId: string;

async function store(): Promise<string> {
  const id = newId();
  const job_id = newId();
  await server.db
    .insertInto("runs")
    .values({
      ...{ id, graph_id: graphId, account_id: cast.owner.account.id, job_id, session_tag: 1, session_name: "S" },
      ...{
        number: 1,
        command: 1,
        mode: "all",
        graph_revision: 1,
        first_line: 1,
        state: "failed",
        ended_at: new Date(),
      },
    })
    .execute();
  const frames = [{ node: 1, line: 5, function: "run", file: "", locals: { token: "variable" }, cuts: [] }];
  await server.db
    .insertInto("run_exceptions")
    .values({
      ...{ run_id: id, number: 1, node_id: 1, line: 5 },
      function: "run",
      traceback: "ValueError: x",
      frames: JSON.stringify(frames),
    })
    .execute();
  await server.db
    .insertInto("job_outputs")
    .values({ job_id, node_id: 1, run: 1, number: 1, data: JSON.stringify({ "text/plain": "shown" }), show_id: null })
    .execute();
  return id;
}

beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  graphId = await buildGraph(cast, (await buildProject(cast)).id);
  runId = await store();
});
afterAll(() => server.close());

const everybody: Role[] = ["admin", "owner", "editor", "viewer", "stranger", "anonymous"];

describe("a run", () => {
  it.each(["", "/outputs", "/logs"])("is read by whoever may read its workflow: %s", async (part) => {
    const statuses = await Promise.all(
      everybody.map(async (role) => (await cast[role].get(`/api/v3/runs/${runId}${part}`)).status),
    );
    expect(statuses).toEqual([200, 200, 200, 200, 404, 401]);
  });

  it("shows the variables of exceptions to people who may change the workflow only", async () => {
    for (const role of ["owner", "editor", "viewer"] as const) {
      const answer = await cast[role].get(`/api/v3/runs/${runId}`);
      const [exception] = RunDetails.parse(answer.json()).exceptions;
      expect(exception?.traceback).toBe("ValueError: x");
      expect(exception?.frames).toHaveLength(role === "viewer" ? 0 : 1);
      expect(answer.text.includes("variable")).toBe(role !== "viewer");
    }
  });

  it("without a version refuses its graph with clear words, and to be run again", async () => {
    const answer = await cast.owner.get(`/api/v3/runs/${runId}/graph`);
    expect([answer.status, answer.text]).toEqual([409, "What this run was given is not stored."]);
  });

  it("is deleted with its outputs by whoever may change the workflow, and by nobody else", async () => {
    for (const [role, status] of [
      ["stranger", 404],
      ["viewer", 403],
      ["anonymous", 401],
    ] as const)
      expect((await cast[role].delete(`/api/v3/runs/${runId}`)).status).toBe(status);
    const { session } = RunDetails.parse((await cast.owner.get(`/api/v3/runs/${runId}`)).json());
    expect((await cast.editor.delete(`/api/v3/runs/${runId}`)).status).toBe(200);
    const again = await cast.editor.delete(`/api/v3/runs/${runId}`);
    expect([again.status, again.text]).toEqual([404, "Run not found."]);
    for (const part of ["", "/graph", "/outputs", "/logs"])
      expect((await cast.owner.get(`/api/v3/runs/${runId}${part}`)).status).toBe(404);
    expect(await server.db.selectFrom("job_outputs").selectAll().where("job_id", "=", session.id).execute()).toEqual(
      [],
    );
  });

  it("is not found by an id that is none", async () => {
    expect((await cast.owner.get("/api/v3/runs/yesterday")).status).toBe(404);
    expect((await cast.owner.get(`/api/v3/runs/${newId()}`)).status).toBe(404);
  });
});
