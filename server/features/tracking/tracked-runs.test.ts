import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { finishChore } from "../../testing/finish-chore.ts";
import { MlflowClient } from "../../testing/mlflow-client.ts";
import { listRuns } from "../../testing/runs.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { giveToken, script, Workbench } from "../../testing/workbench.ts";
import { createOldRuns } from "../runs/old-runs-service.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

interface Run {
  info: { run_id: string; run_name: string; status: string; experiment_id: string; end_time?: number; user_id: string };
  data: { metrics?: { key: string; value: number; step: number }[]; tags: { key: string; value: string }[] };
}

async function ran(...lines: string[]) {
  const bench = await Workbench.open(server);
  await bench.node(script(...lines), "Train");
  await bench.start();
  await bench.run();
  const [run] = await listRuns(bench);
  const client = new MlflowClient(server, bench.projectId, await giveToken(bench.owner));
  return { bench, client, id: run?.id ?? "", run_id: (run?.id ?? "").replaceAll("-", "") };
}

const tracked = () => server.db.selectFrom("tracked_runs").select("id").execute();

describe("a run of a workflow", () => {
  it("that logs nothing is not tracked, until a client asks for it", async () => {
    const { bench, client, id, run_id } = await ran("print('nothing')");
    expect(await tracked()).not.toContainEqual({ id });
    const { run } = await client.get<{ run: Run }>("runs/get", { run_id });
    expect(run.info).toMatchObject({ status: "FINISHED", run_name: "Run 1", user_id: bench.owner.account.username });
    expect(await tracked()).toContainEqual({ id });
    bench.close();
  });

  it("is found by clients with what log_metric logged, in the experiment of its workflow", async () => {
    const { bench, client, run_id } = await ran(
      "for at in range(3): log_metric('loss', 1 / (at + 1))",
      "log_metric('accuracy', 0.5)",
      "log_metric('loss', float('nan'))",
    );
    const { run } = await client.get<{ run: Run }>("runs/get", { run_id });
    expect(run.info.status).toBe("FINISHED");
    expect(run.info.end_time).toBeGreaterThan(0);
    expect(run.data.metrics).toMatchObject([
      { key: "loss", value: "NaN", step: 3 },
      { key: "accuracy", value: 0.5, step: 0 },
    ]);
    const { experiment } = await client.get<{ experiment: { name: string } }>("experiments/get", {
      experiment_id: run.info.experiment_id,
    });
    expect(experiment.name).toBe("Flow");
    const { runs } = await client.post<{ runs: Run[] }>("runs/search", {
      experiment_ids: [run.info.experiment_id],
      filter: "metrics.accuracy > 0.4",
    });
    expect(runs.map(({ info }) => info.run_id)).toEqual([run_id]);
    const { metrics } = await client.get<{ metrics: unknown[] }>("metrics/get-history", { run_id, metric_key: "loss" });
    expect(metrics).toHaveLength(4);
    bench.close();
  });

  it("has failed when a node has, whatever a client says of it", async () => {
    const { bench, client, run_id } = await ran("log_metric('loss', 1)", "raise ValueError('no')");
    await client.post("runs/update", { run_id, status: "FINISHED", end_time: 1 });
    const { run } = await client.get<{ run: Run }>("runs/get", { run_id });
    expect(run.info.status).toBe("FAILED");
    expect(run.info.end_time).not.toBe(1);
    bench.close();
  });

  it("takes what it logged with it when it is removed, unless a version of a model refers to it", async () => {
    const plain = await ran("log_metric('loss', 1)");
    const trained = await ran("log_metric('loss', 1)", "log_model('fit', metrics={'loss': 1})");
    for (const { bench, id } of [plain, trained])
      expect((await bench.owner.delete(`/api/v3/runs/${id}`)).status).toBe(200);
    const left = new Set((await tracked()).map(({ id }) => id));
    expect([left.has(plain.id), left.has(trained.id)]).toEqual([false, true]);
    expect(
      (await trained.client.get<{ run: Run }>("runs/get", { run_id: trained.run_id })).run.data.metrics,
    ).toHaveLength(1);
    await server.db.deleteFrom("models").where("project_id", "=", trained.bench.projectId).execute();
    const old = new Date(Date.now() - 100 * 86_400_000);
    await server.db.updateTable("tracked_runs").set({ began_at: old }).where("id", "=", trained.id).execute();
    await finishChore(createOldRuns(server.db, { days: 90, outputBytes: 1 }).remove());
    expect((await tracked()).map(({ id }) => id)).not.toContain(trained.id);
    for (const { bench } of [plain, trained]) bench.close();
  });

  it("stays where it was when its workflow moves to another project", async () => {
    const { bench, client, run_id } = await ran("log_metric('loss', 1)");
    const other = (await bench.owner.post("/api/v3/projects/", { name: "Other", description: "" })).json<{
      id: string;
    }>();
    const moved = await bench.owner.patch(`/api/v3/graphs/${bench.graphId}`, { dest_parent_id: other.id });
    expect(moved.status).toBe(200);
    expect((await client.send("GET", "runs/get", { run_id })).status).toBe(200);
    const there = new MlflowClient(server, other.id, await giveToken(bench.owner));
    expect((await there.send("GET", "runs/get", { run_id })).status).toBe(404);
    const graphs = await server.db
      .selectFrom("experiments")
      .select("graph_id")
      .where("project_id", "=", bench.projectId)
      .execute();
    expect(graphs.every(({ graph_id }) => graph_id === null)).toBe(true);
    bench.close();
  });
});
