import type { AuditPage } from "@miranda/contract/schemas/audit.ts";
import type { Job, JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { agentOf } from "../../testing/engine-under-test.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { type SocketListener, giveToken, listen, revokeTokens } from "../../testing/workbench.ts";

let server: TestServer;
let cast: Cast;
let project: { id: string };
let graphId: string;
let jobId: string;
let listener: SocketListener;

const roles: Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
const columns = (...statuses: number[]): [Role, number][] => roles.map((role, at) => [role, statuses[at] ?? 0]);

beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  for (const role of ["admin", "owner", "editor", "viewer", "stranger"] as const) await giveToken(cast[role]);
  project = await buildProject(cast);
  graphId = await buildGraph(cast, project.id);
  listener = await listen(server, cast.owner, graphId);
  await cast.owner.post(`/api/v3/graphs/${graphId}/processor`, { tag: 1 });
  const job = await listener.wait<JobSummary>("update[DOCKER_JOB]", (one) => one.workflow_state === "READY");
  jobId = job.id;
});
afterAll(async () => {
  listener.close();
  await server.close();
});

describe("sessions and logs: reading", () => {
  it.each(columns(401, 404, 200, 200, 200, 200))("%s gets %d", async (role, status) => {
    for (const path of [
      `/api/v3/graphs/${graphId}/processor`,
      `/api/v3/graphs/${graphId}/processor/logs`,
      `/api/v3/graphs/${graphId}/processor/break`,
      `/api/v3/jobs/${jobId}`,
      `/api/v3/jobs/${jobId}/outputs`,
      `/api/v3/jobs?graph_id=${graphId}`,
    ])
      expect([path, (await cast[role].get(path)).status]).toEqual([path, status]);
  });

  it.each(columns(401, 404, 403, 200, 200, 200))("passwords that nodes wait for: %s gets %d", async (role, status) => {
    expect((await cast[role].get(`/api/v3/graphs/${graphId}/processor/questions`)).status).toBe(status);
  });

  it("hides them from a stranger's list, and shows nobody another person's token", async () => {
    const list = async (role: Role) => (await cast[role].get("/api/v3/jobs")).json<JobsResponse>();
    expect((await list("stranger")).running).toEqual([]);
    expect((await list("owner")).running).toHaveLength(1);
    expect((await list("editor")).running).toHaveLength(1);
    expect((await cast.anonymous.get("/api/v3/jobs")).status).toBe(401);
    const answer = await cast.owner.get(`/api/v3/jobs/${jobId}`);
    expect(answer.text).not.toMatch(/token/i);
  });

  it("has every field of the spec", async () => {
    const job = (await cast.owner.get(`/api/v3/jobs/${jobId}`)).json<Job>();
    expect(Object.keys(job).toSorted()).toEqual(
      [
        "id",
        "state_since",
        "tag",
        "name",
        "description",
        "class",
        "workflow_state",
        "revision",
        "container_id",
        "time_created",
        "ends_at",
        "installing",
        "last_run",
        "total_cost",
        "cpu_seconds",
        "ram_gb_seconds",
        "net_rx_gb",
        "net_tx_gb",
        "current_cpu",
        "cpu_capacity",
        "current_ram_gb",
        "ram_gb_capacity",
        "current_net_rx_gb",
        "current_net_tx_gb",
        "graph",
        "logs",
      ].toSorted(),
    );
    expect(job).toMatchObject({ class: "Docker_job", tag: 1, graph: { project_id: project.id, graph_id: graphId } });
    expect(job.logs[0]).toMatchObject({
      id: 1,
      tag: 1,
      message: expect.stringMatching(/server's own rights/) as string,
    });
  });

  it("names no process of the server's machine", async () => {
    const { container_id } = (await cast.viewer.get(`/api/v3/jobs/${jobId}`)).json<Job>();
    expect(container_id).toBe(`local-${jobId}`);
    const { engine_ref } = await server.db
      .selectFrom("jobs")
      .select("engine_ref")
      .where("id", "=", jobId)
      .executeTakeFirstOrThrow();
    // By it the session is found and ended, also one of an earlier version.
    expect(engine_ref).toMatchObject({ pid: await agentOf(jobId), start: expect.stringMatching(/^\d+$/) as string });
  });
});

describe("processors: commands", () => {
  it.each(columns(401, 404, 403, 200, 200, 200))("%s gets %d for a command", async (role, status) => {
    expect((await cast[role].post(`/api/v3/graphs/${graphId}/processor/info`)).status).toBe(status);
  });

  it.each(columns(401, 404, 403, 409, 409, 409))("%s gets %d for starting a second one", async (role, status) => {
    expect((await cast[role].post(`/api/v3/graphs/${graphId}/processor`, { tag: 7 })).status).toBe(status);
  });

  it("treats the same tag twice as one request", async () => {
    const again = await cast.owner.post(`/api/v3/graphs/${graphId}/processor`, { tag: 1 });
    expect(again.json()).toEqual({ id: jobId, tag: 1 });
  });

  it("needs an execution token", async () => {
    const newcomer = await server.signUp("newcomer");
    await cast.owner.post(`/api/v3/projects/${project.id}/members`, { user: "newcomer", role: "editor" });
    expect((await newcomer.post(`/api/v3/graphs/${graphId}/processor/info`)).status).toBe(200);
    await revokeTokens(newcomer);
    for (const path of [`/api/v3/graphs/${graphId}/processor`, `/api/v3/graphs/${graphId}/processor/info`]) {
      const answer = await newcomer.post(path, { tag: 5 });
      expect([answer.status, answer.text]).toEqual([403, "Invalid execution token"]);
    }
    const token = await giveToken(newcomer);
    expect((await newcomer.post(`/api/v3/graphs/${graphId}/processor/info`)).status).toBe(200);
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${token}` };
    expect((await program.post(`/api/v3/graphs/${graphId}/processor/info`)).status).toBe(200);
    await server.db
      .updateTable("access_tokens")
      .set({ last_used_at: new Date(Date.now() - 8 * 86_400_000) })
      .execute();
    expect((await newcomer.post(`/api/v3/graphs/${graphId}/processor/info`)).status).toBe(403);
    await server.db.updateTable("access_tokens").set({ last_used_at: new Date() }).execute();
  });

  it("refuses invalid tags", async () => {
    for (const tag of ["", "x", "-1", "1.5", "1e30"])
      expect((await cast.owner.post(`/api/v3/graphs/${graphId}/processor`, { tag })).status).toBe(400);
    expect((await cast.owner.get("/api/v3/graphs/nonsense/processor")).status).toBe(404);
    expect((await cast.owner.get("/api/v3/jobs/nonsense")).status).toBe(404);
  });

  it("loses access at once when membership ends", async () => {
    const members = (await cast.owner.get(`/api/v3/projects/${project.id}/members`)).json<
      { id: string; username: string }[]
    >();
    const newcomer = members.find(({ username }) => username === "newcomer");
    await cast.owner.delete(`/api/v3/projects/${project.id}/members/${newcomer?.id}`);
    const again = server.anonymous();
    await again.post("/api/v3/auth", { username: "newcomer", password: "correct horse battery" });
    expect((await again.get(`/api/v3/jobs/${jobId}`)).status).toBe(404);
    expect((await again.post(`/api/v3/graphs/${graphId}/processor/info`)).status).toBe(404);
  });
});

describe("somebody who starts a processor in another's project and is put out", () => {
  it("no longer sees it, and no longer pays for it", async () => {
    const editor = await server.signUp("guest");
    await giveToken(editor);
    await cast.owner.post(`/api/v3/projects/${project.id}/members`, { user: "guest", role: "editor" });
    const workflow = await buildGraph(cast, project.id, "Lent");
    const { id } = (await editor.post(`/api/v3/graphs/${workflow}/processor`, { tag: 1 })).json<{ id: string }>();
    const listed = async () => (await editor.get("/api/v3/jobs?log_lines=10")).text.includes(id);
    const look = async () => (await cast.owner.get(`/api/v3/jobs/${id}`)).json<Job>();
    await expect.poll(async () => (await look()).workflow_state, { timeout: 15_000 }).toBe("READY");
    expect(await listed()).toBe(true);
    await cast.owner.delete(`/api/v3/projects/${project.id}/members/${editor.account.id}`);
    expect(await listed()).toBe(false);
    expect((await editor.get(`/api/v3/jobs/${id}`)).status).toBe(404);
    await expect.poll(async () => (await look()).workflow_state, { timeout: 15_000 }).toBe("EXITED");
    expect((await look()).logs.map(({ message }) => message).join("\n")).toContain(
      "The session was stopped: the person who started it may no longer change the workflow.",
    );
  });
});

describe("sessions: cancelling", () => {
  it.each([
    ["anonymous", 401],
    ["stranger", 404],
    ["viewer", 403],
  ] as [Role, number][])("%s gets %d", async (role, status) => {
    expect((await cast[role].put(`/api/v3/jobs/${jobId}/cancel`)).status).toBe(status);
  });

  it.each(["editor", "admin", "owner"] as Role[])("%s may", async (role) => {
    const current = (await cast.owner.get(`/api/v3/graphs/${graphId}/processor`)).json<JobSummary>();
    const since = listener.received.length;
    const answer = await cast[role].put(`/api/v3/jobs/${current.id}/cancel`);
    expect(answer.status).toBe(200);
    // A quick agent has ended it before the answer was made.
    expect(answer.json<JobSummary>().workflow_state).toMatch(/KILLING|EXITED/);
    await listener.wait<JobSummary>("update[DOCKER_JOB]", (job) => job.workflow_state === "EXITED", since);
    expect((await cast[role].put(`/api/v3/jobs/${current.id}/cancel`)).status).toBe(409);
    const events = (await cast.admin.get(`/api/v3/admin/audit?kind=session.stop&limit=1`)).json<AuditPage>().events;
    const sentence = `${role} stopped the session of ${current.name}, started by owner, in Tides`;
    if (role !== "owner") expect(events[0]).toMatchObject({ sentence, subject: { kind: "session", id: current.id } });
    else expect(events[0]?.subject?.id).not.toBe(current.id);
    const tag = since + 100;
    await cast.owner.post(`/api/v3/graphs/${graphId}/processor`, { tag });
    await listener.wait<JobSummary>(
      "update[DOCKER_JOB]",
      (job) => job.tag === tag && job.workflow_state === "READY",
      since,
    );
  });

  it("a session outlives its workflow for its starter, and its processor ends", async () => {
    const current = (await cast.owner.get(`/api/v3/graphs/${graphId}/processor`)).json<JobSummary>();
    await cast.owner.delete(`/api/v3/graphs/${graphId}?preview=false`);
    const look = async () => (await cast.owner.get(`/api/v3/jobs/${current.id}`)).json<Job>();
    await expect.poll(async () => (await look()).workflow_state, { timeout: 15_000 }).toBe("EXITED");
    expect((await look()).graph).toBeNull();
    expect((await cast.editor.get(`/api/v3/jobs/${current.id}`)).status).toBe(404);
  });
});
