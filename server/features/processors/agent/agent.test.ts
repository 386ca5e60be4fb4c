import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hashToken, newId } from "../../../platform/crypto.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import type { TestClient } from "../../../testing/test-client.ts";
import { Workbench } from "../../../testing/workbench.ts";

// A forged agent: what a hostile, late or confused one can do.

let server: TestServer;
let bench: Workbench;
let jobId: string;
let agent: TestClient;

beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
});
afterAll(async () => {
  bench.close();
  await server.close();
});

async function makeJob(token: string): Promise<string> {
  const id = newId();
  const row = {
    id,
    tag: 1,
    graph_id: bench.graphId,
    account_id: bench.owner.account.id,
    name: "Flow",
    engine: "local",
  };
  await server.db
    .insertInto("jobs")
    .values({
      ...row,
      state: "STARTING",
      token_hash: hashToken(token),
      total_cost: null,
      seen_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
  return id;
}

beforeEach(async () => {
  await server.db.deleteFrom("jobs").execute();
  jobId = await makeJob("the right token");
  agent = server.anonymous();
  agent.headers = { authorization: "Bearer the right token" };
});

const post = (first: number, ...events: object[]) => agent.postJson(`/api/runner/${jobId}/events`, { first, events });
const log = (text: string) => ({ kind: "log", tag: 0, at: Date.now(), text });
const state = (name: string, command = 0) => ({ kind: "state", state: name, command });
const usage = (sample: number, cpu_seconds = 1) => ({ kind: "usage", sample, seconds: 2, cpu_seconds, ram_gb: 0.5 });
const job = () => server.db.selectFrom("jobs").selectAll().where("id", "=", jobId).executeTakeFirstOrThrow();
const text = async () => {
  const entries = (await bench.owner.get(`/api/v3/jobs/${jobId}`)).json<{ logs: { message: string }[] }>().logs;
  return entries.map(({ message }) => message).join("\n");
};

describe("an agent's token", () => {
  it("opens its own job and nothing else", async () => {
    const other = await makeJobElsewhere();
    for (const path of ["events", "commands?wait=0", "graph", "secret"]) {
      const method = path === "events" || path === "secret" ? "POST" : "GET";
      const body = path === "events" ? { first: 1, events: [log("x")] } : { key: "k" };
      const ask = (id: string, authorization: string) => {
        agent.headers = authorization ? { authorization } : {};
        const json = { "content-type": "application/json" };
        return agent.send(
          method,
          `/api/runner/${id}/${path}`,
          method === "POST" ? JSON.stringify(body) : undefined,
          json,
        );
      };
      expect((await ask(other, "Bearer the right token")).status).toBe(401);
      expect((await ask(jobId, "Bearer forged")).status).toBe(401);
      expect((await ask(jobId, "")).status).toBe(401);
      expect((await ask(newId(), "Bearer the right token")).status).toBe(401);
      expect((await ask(jobId, "Bearer the right token")).status).toBe(200);
    }
    agent.headers = { authorization: "Bearer the right token" };
    expect((await agent.get("/api/v3/projects/")).status).toBe(401);
  });

  it("is refused after its session has ended", async () => {
    await bench.owner.post("/api/v3/secrets", { key: "kept", value: "v", project_id: bench.projectId });
    const asked = () =>
      Promise.all([
        agent.get(`/api/runner/${jobId}/graph`),
        agent.get(`/api/runner/${jobId}/commands?wait=0`),
        agent.postJson(`/api/runner/${jobId}/secret`, { key: "kept" }),
        agent.postJson(`/api/runner/${jobId}/file`, { file: "0".repeat(64) }),
      ]);
    expect((await asked()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await post(1, state("EXITED"));
    expect((await asked()).map(({ status }) => status)).toEqual([410, 410, 410, 410]);
  });

  it("reads the files of its own graph only", async () => {
    const form = { name: "Other", description: "", project_id: bench.projectId };
    const elsewhere = (await bench.owner.post("/api/v3/graphs/", form)).json<{ id: string }>().id;
    const upload = async (project_id: string) => {
      const node = await bench.owner.post("/api/v3/objects", { name: "Read", project_id });
      const file = new FormData();
      file.set("file", new File(["tides"], "tides.csv"));
      const path = `/api/v3/objects/${node.json<{ metadata_id: number }>().metadata_id}/files`;
      return (await bench.owner.send("POST", path, file)).json<{ file: string }>();
    };
    const { file } = await upload(elsewhere);
    const ask = async () => (await agent.postJson(`/api/runner/${jobId}/file`, { file })).json();
    expect(await ask()).toEqual({ error: "File not found." });
    await upload(bench.graphId);
    expect(await ask()).toEqual({ content: Buffer.from("tides").toString("base64") });
  });

  async function makeJobElsewhere(): Promise<string> {
    const graph = await bench.owner.post("/api/v3/graphs/", {
      name: "Other",
      description: "",
      project_id: bench.projectId,
    });
    const id = newId();
    await server.db
      .insertInto("jobs")
      .values({
        id,
        tag: 2,
        graph_id: graph.json<{ id: string }>().id,
        account_id: bench.owner.account.id,
        name: "Other",
        engine: "local",
        state: "STARTING",
        token_hash: hashToken("another"),
        total_cost: null,
        seen_at: new Date(Date.now() + 3_600_000),
      })
      .execute();
    return id;
  }
});

describe("an agent's events", () => {
  it("are stored once, however often they come", async () => {
    expect((await post(1, state("READY"), log("one"))).json()).toEqual({ acknowledged: 2 });
    expect((await post(1, state("READY"), log("one"))).json()).toEqual({ acknowledged: 2 });
    expect((await post(2, log("one"), log("two"))).json()).toEqual({ acknowledged: 3 });
    expect((await post(3, log("two"), log("three"))).json()).toEqual({ acknowledged: 4 });
    const notice = "This processor runs as a process of the server's machine, with the server's own rights.";
    expect(await text()).toBe(`${notice}\none\ntwo\nthree`);
  });

  it("are refused when some are missing before them", async () => {
    await post(1, state("READY"));
    expect((await post(3, log("lost"))).status).toBe(409);
    expect((await job()).last_event).toBe(1);
  });

  it("that are invalid are refused as a whole", async () => {
    for (const event of [
      { kind: "nonsense" },
      { kind: "log", tag: 9, at: 0, text: "x" },
      { kind: "state", state: "KILLING", command: 0 },
      { kind: "usage", sample: 1, seconds: -5, cpu_seconds: 1, ram_gb: 1 },
    ])
      expect((await post(1, log("before"), event)).status).toBe(400);
    expect(
      (await agent.send("POST", `/api/runner/${jobId}/events`, "{", { "content-type": "application/json" })).status,
    ).toBe(400);
    expect((await job()).last_event).toBe(0);
  });

  it("may contain names like __proto__ and null characters", async () => {
    await post(1, state("READY"), {
      kind: "break",
      node: 1,
      line: 1,
      locals: { a: "\u0000", b: JSON.parse('{"__proto__": 1}') as object },
    });
    expect((await job()).last_event).toBe(2);
  });

  it("change the state only as the state machine allows", async () => {
    await post(1, state("RUNNING"));
    expect((await job()).state).toBe("STARTING");
    await post(2, state("READY"), state("RESUMEREADY"));
    expect((await job()).state).toBe("READY");
    await post(4, state("RUNNING"), state("RESUMEREADY"), state("READY"), state("EXITED"));
    expect((await job()).state).toBe("EXITED");
    expect((await post(8, state("ERROR"))).status).toBe(410);
    expect((await job()).state).toBe("EXITED");
  });

  it("about an old command do not undo a newer one", async () => {
    await post(1, state("READY"));
    await server.db
      .updateTable("jobs")
      .set({ state: "RESTARTING", state_command: 4 })
      .where("id", "=", jobId)
      .execute();
    await post(2, state("READY", 3));
    expect((await job()).state).toBe("RESTARTING");
    await post(3, state("READY", 4));
    expect((await job()).state).toBe("READY");
  });

  it("that arrive after the job was declared lost change nothing and charge nothing (fault 5)", async () => {
    await post(1, state("READY"), usage(1));
    const before = await job();
    await server.db.updateTable("jobs").set({ state: "ERROR" }).where("id", "=", jobId).execute();
    const credits = async () =>
      (
        await server.db
          .selectFrom("accounts")
          .select("credits")
          .where("id", "=", before.account_id)
          .executeTakeFirstOrThrow()
      ).credits;
    const left = await credits();
    expect((await post(3, usage(2, 100), state("EXITED"))).status).toBe(410);
    expect(await job()).toMatchObject({ state: "ERROR", total_cost: before.total_cost, last_event: 2 });
    expect(await credits()).toBe(left);
    expect((await agent.get(`/api/runner/${jobId}/commands?wait=0`)).status).toBe(410);
  });

  it("charge each sample once, by its number", async () => {
    await post(1, state("READY"), usage(1), usage(1), usage(2));
    await post(4, usage(2), usage(3));
    const samples = await server.db.selectFrom("usage_samples").selectAll().where("job_id", "=", jobId).execute();
    expect(samples.map(({ number }) => number)).toEqual([1, 2, 3]);
    const { total_cost, cpu_seconds, ram_gb_seconds } = await job();
    const sum = samples.reduce((total, { cost }) => total + cost, 0);
    expect(total_cost).toBeCloseTo(sum, 9);
    expect([cpu_seconds, ram_gb_seconds]).toEqual([3, 3]);
    const ledger = await server.db.selectFrom("ledger").select("amount").where("job_id", "=", jobId).execute();
    expect(ledger).toHaveLength(1);
    expect(ledger[0]?.amount).toBeCloseTo(-sum, 9);
  });

  it("sent many at once are stored in order", async () => {
    await post(1, state("READY"));
    const all = await Promise.all(Array.from({ length: 20 }, () => post(2, log("a"), log("b"))));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await job()).last_event).toBe(3);
    expect((await job()).last_line).toBe(3);
  });
});

describe("commands", () => {
  it("reach an agent once and in order, whichever of two servers it asks", async () => {
    await post(1, state("READY"));
    const waiting = agent.get(`/api/runner/${jobId}/commands?after=0&wait=10`);
    await bench.send("info");
    const first = (await waiting).json<{ commands: { number: number; command: string }[] }>();
    expect(first.commands).toEqual([{ command: "info", number: 1 }]);
    await bench.send("clear");
    await bench.send("info");
    const rest = (await agent.get(`/api/runner/${jobId}/commands?after=1&wait=10`)).json<typeof first>();
    expect(rest.commands.map(({ number, command }) => [number, command])).toEqual([
      [2, "clear"],
      [3, "info"],
    ]);
    expect((await agent.get(`/api/runner/${jobId}/commands?after=3&wait=0`)).json()).toEqual({ commands: [] });
  });
});
