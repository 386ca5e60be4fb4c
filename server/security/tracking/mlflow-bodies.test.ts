import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type MlflowClient, openTracking } from "../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let client: MlflowClient;
let run_id: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ client } = await openTracking(server, await server.signUp()));
  const { run } = await client.post<{ run: { info: { run_id: string } } }>("runs/create", { experiment_id: "0" });
  ({ run_id } = run.info);
});
afterAll(() => server.close());

/** The loop of the server must stay free: another call is answered while this one is. */
async function answersMeanwhile(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await server.anonymous().get("/healthz");
  const waited = performance.now() - start;
  await work;
  return waited;
}

describe("hostile bodies", () => {
  it.for([
    ["no JSON", "{"],
    ["bare NaN", '{"run_id":"x","key":"a","value":NaN}'],
    ["a list", "[]"],
    ["a text", '"text"'],
    ["a number", "7"],
    ["null", "null"],
    ["a prototype", '{"__proto__":{"run_id":"x"}}'],
    ["a depth of 100,000", "[".repeat(100_000) + "]".repeat(100_000)],
    ["wrong types", '{"run_id":{},"key":[],"value":{}}'],
    ["zero bytes", JSON.stringify({ run_id: "\0", key: "\0", value: 1 })],
  ] as const)("with %s are refused in MLflow's JSON", async ([_what, body]) => {
    for (const call of ["runs/log-metric", "runs/create", "runs/log-batch", "runs/search", "experiments/create"]) {
      const answer = await client.send("POST", call, body);
      if (answer.status === 200) continue;
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.json()).toMatchObject({ error_code: expect.any(String) as string });
    }
  });

  it("with zero bytes and halves of characters are stored without them", async () => {
    await client.post("runs/set-tag", { run_id, key: "odd", value: "a\0b\ud800c" });
    const { run } = await client.get<{ run: { data: { tags: { key: string; value: string }[] } } }>("runs/get", {
      run_id,
    });
    expect(run.data.tags.find(({ key }) => key === "odd")?.value).toBe("a\ufffdb\ufffdc");
  });

  it("of three megabytes are refused", async () => {
    const value = "x".repeat(3_000_000);
    expect((await client.refused("POST", "runs/set-tag", { run_id, key: "a", value })).slice(0, 2)).toEqual([
      413,
      "RESOURCE_LIMIT_EXCEEDED",
    ]);
  });

  it("with 10,000 metrics in a batch are refused without storing one", async () => {
    const metrics = Array.from({ length: 10_000 }, (_, at) => ({ key: `m${at}`, value: 1, timestamp: 1, step: 0 }));
    const answer = await client.send("POST", "runs/log-batch", { run_id, metrics });
    expect(answer.status).toBe(400);
    expect(await server.db.selectFrom("metric_summaries").select("name").execute()).toEqual([]);
  });
});

describe("hostile filters", () => {
  it.for([
    ["quotes", "'".repeat(19_999)],
    ["backticks", "`".repeat(19_999)],
    ["spaces", `metrics.a${" ".repeat(19_000)}> 1 x`],
    ["brackets", `params.a IN (${"(".repeat(19_000)}`],
    ["signs", "=".repeat(19_999)],
    ["names", "a.".repeat(9_999)],
    ["words", "a ".repeat(9_999)],
    ["wildcards", `params.a LIKE '${"%_".repeat(9_000)}'`],
    ["many wildcards", `params.a LIKE '${"%a".repeat(9_000)}b'`],
    ["a list of thousands", `params.a IN (${Array.from({ length: 3_000 }, (_, at) => `'${at}'`).join(",")})`],
  ] as const)("of many %s take no time, and hold up nobody", async ([_what, filter]) => {
    const value = "a".repeat(6_000);
    await client.post("runs/log-parameter", { run_id, key: "a", value });
    const start = performance.now();
    const search = client.send("POST", "runs/search", { experiment_ids: ["0"], filter });
    expect(await answersMeanwhile(search)).toBeLessThan(5_000);
    expect([200, 400]).toContain((await search).status);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it("cannot leave their place in a statement", async () => {
    for (const filter of [
      "params.`a' or true --` = 'x'",
      "params.a = ''' or ''1''=''1'",
      'tags."x"") or (1=1" = \'x\'',
      "attributes.run_name LIKE '%''; select pg_sleep(9); --'",
    ]) {
      const { runs } = await client.post<{ runs: unknown[] }>("runs/search", { experiment_ids: ["0"], filter });
      expect(runs).toEqual([]);
    }
    const order_by = ["params.`a`; select pg_sleep(9); --` DESC", "metrics.x' DESC"];
    expect((await client.send("POST", "runs/search", { experiment_ids: ["0"], order_by })).status).toBe(200);
  });
});

describe("what one run may hold", () => {
  it("is limited in its metrics, parameters and tags", async () => {
    const { run } = await client.post<{ run: { info: { run_id: string } } }>("runs/create", { experiment_id: "0" });
    const id = run.info.run_id;
    for (let batch = 0; batch < 10; batch++) {
      const metrics = Array.from({ length: 1_000 }, (_, at) => ({ key: `m${batch}-${at}`, value: 1, timestamp: 1 }));
      await client.post("runs/log-batch", { run_id: id, metrics });
    }
    const more = { run_id: id, key: "one more", value: 1, timestamp: 1 };
    expect((await client.refused("POST", "runs/log-metric", more)).slice(1)).toEqual([
      "RESOURCE_LIMIT_EXCEEDED",
      "A run can have at most 10000 metrics.",
    ]);
    await client.post("runs/log-metric", { ...more, key: "m0-0", timestamp: 2 });
  });
});
