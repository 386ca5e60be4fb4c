import type { RunMetrics } from "@miranda/contract/schemas/runs.ts";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hasMlflow, mlflowVersions, type MlflowVersion } from "../../../../scripts/mlflow.ts";
import { sandboxProblem } from "../../../../scripts/sandbox.ts";
import { findPython } from "../../../platform/python.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { packagesOf } from "../../../testing/services/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { script, Workbench } from "../../../testing/workbench.ts";

// MLflow's own clients in node code that configures nothing.

const python = await findPython();
const places = mlflowVersions.map((version) => packagesOf(version, python?.version ?? []));
const kinds = ["in a sandbox", "without one"] as const;

describe.skipIf(!hasMlflow()).each(kinds)("MLflow's client in node code %s", { timeout: 300_000 }, (kind) => {
  let server: TestServer;
  const cannot = kind === "in a sandbox" && sandboxProblem() !== undefined;
  beforeAll(async () => {
    const environment = {
      MIRANDA_ENGINE: "local",
      MIRANDA_SANDBOX: kind === "in a sandbox" ? "auto" : "off",
      MIRANDA_SANDBOX_PATHS: [...places, import.meta.dirname].join(","),
    };
    server = await startTestServer({ processors: readConfig(environment).processors });
  }, 60_000);
  afterAll(() => server.close());

  /** As if the node's packages were installed. An import that it showed would be: that takes minutes. */
  const using = (version: MlflowVersion): string =>
    `import sys\nsys.path.insert(0, ${JSON.stringify(packagesOf(version, python?.version ?? []))})\n`;

  async function open(version: MlflowVersion, ...lines: string[]) {
    const bench = await Workbench.open(server);
    const node = await bench.node(using(version) + script(...lines));
    await bench.start();
    return { bench, node };
  }

  const textOf = async (bench: Workbench): Promise<string> => (await bench.lines()).map(([, text]) => text).join("\n");

  it.skipIf(cannot).each(mlflowVersions)("trains by an unmodified script (%s.x)", async (version) => {
    const training = JSON.stringify(join(import.meta.dirname, "train.py"));
    const { bench, node } = await open(version, `exec(open(${training}).read(), {'__name__': '__main__'})`);
    await bench.run();
    expect(await textOf(bench)).toContain("version 1 predicts the same True");
    const [run] = await server.db.selectFrom("runs").selectAll().where("graph_id", "=", bench.graphId).execute();
    const tracked = await server.db
      .selectFrom("tracked_runs")
      .selectAll()
      .where("project_id", "=", bench.projectId)
      .execute();
    expect(tracked).toMatchObject([{ id: run?.id, run_id: run?.id, status: "FINISHED", is_taken: true }]);
    const versions = await server.db
      .selectFrom("model_versions")
      .selectAll()
      .where("run_id", "=", run?.id ?? "")
      .execute();
    expect(versions).toMatchObject([{ number: 1, graph_id: bench.graphId, node_id: node, tracked_run_id: run?.id }]);
    bench.close();
  });

  it.skipIf(cannot)("logs and registers a model while no run is active", async () => {
    const { bench, node } = await open(
      "3",
      "mlflow = __import__('mlflow.sklearn')",
      "from sklearn.linear_model import LinearRegression",
      "model = LinearRegression().fit([[1], [2]], [2, 4])",
      "mlflow.sklearn.log_model(model, name='model', registered_model_name='line')",
      "print('predicts', mlflow.sklearn.load_model('models:/line/1').predict([[3]]).round())",
    );
    await bench.run();
    expect(await textOf(bench)).toContain("predicts [6.]");
    const run = await server.db
      .selectFrom("runs")
      .select("id")
      .where("graph_id", "=", bench.graphId)
      .executeTakeFirstOrThrow();
    const versions = await server.db.selectFrom("model_versions").selectAll().where("run_id", "=", run.id).execute();
    expect(versions).toMatchObject([{ number: 1, graph_id: bench.graphId, node_id: node, tracked_run_id: run.id }]);
    bench.close();
  });

  it.skipIf(cannot)("logs to the run of the workflow, and charts it at once", async () => {
    const { bench, node } = await open(
      "3",
      "import os, time",
      "mlflow = __import__('mlflow')",
      "mlflow.log_param('rate', 0.1)",
      "log_metric('height', 1.5)",
      "for step in range(3): mlflow.log_metric('loss', 1 / (step + 1), step=step)",
      "mlflow.end_run()",
      "time.sleep(1)",
      "print(mlflow.get_run(mlflow.last_active_run().info.run_id).info.status)",
      "with mlflow.start_run(run_name='below'): mlflow.log_metric('loss', 7)",
      "print(os.environ['MLFLOW_EXPERIMENT_NAME'])",
    );
    await bench.run();
    expect((await bench.lines()).map(([, text]) => text)).toEqual(expect.arrayContaining(["RUNNING", "Flow"]));
    const [run] = await server.db.selectFrom("runs").selectAll().where("graph_id", "=", bench.graphId).execute();
    const tracked = await server.db
      .selectFrom("tracked_runs")
      .innerJoin("experiments", (join) =>
        join
          .onRef("experiments.project_id", "=", "tracked_runs.project_id")
          .onRef("experiments.number", "=", "tracked_runs.experiment"),
      )
      .select([
        "tracked_runs.id",
        "tracked_runs.name",
        "status",
        "experiments.name as experiment",
        "experiments.graph_id",
      ])
      .where("tracked_runs.run_id", "=", run?.id ?? "")
      .orderBy("tracked_runs.began_at")
      .execute();
    const experiment = { experiment: "Flow", graph_id: bench.graphId };
    expect(tracked).toMatchObject([
      { id: run?.id, status: "FINISHED", ...experiment },
      { name: "below", status: "FINISHED", ...experiment },
    ]);
    const metrics = (await bench.owner.get(`/api/v3/runs/${run?.id}/metrics`)).json<RunMetrics>();
    // They come on two ways, so either may be first.
    expect(metrics.toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject([
      { name: "height", wob_key: node, values: [1.5] },
      { name: "loss", wob_key: node, values: [1, 1 / 2, 1 / 3] },
    ]);
    const charted = bench.listener.all<{ metrics: { name: string; values: number[] }[] }>("run_metrics");
    expect(charted.flatMap((event) => event.metrics).filter(({ name }) => name === "loss")).not.toEqual([]);
    bench.close();
  });

  it.skipIf(cannot)("writes to its own run only, while it lasts", async () => {
    const other = await Workbench.open(server);
    const lines = [
      "import os",
      "mlflow = __import__('mlflow')",
      "client = mlflow.MlflowClient()",
      "def refusal(action):",
      "    try: action()",
      "    except mlflow.exceptions.MlflowException as error: print('refused', error.error_code)",
      "    except OSError as error: print('refused', error.response.status_code)",
      "    else: print('was allowed')",
      "mlflow.log_metric('x', 1)",
      "own = mlflow.active_run().info.run_id",
      "earlier = [one.info.run_id for one in client.search_runs(['0', '1']) if one.info.run_id != own]",
      "for run in earlier:",
      "    client.get_run(run)",
      "    refusal(lambda: client.log_metric(run, 'y', 1))",
      "    refusal(lambda: client.log_text(run, 'x', 'a.txt'))",
      "    refusal(lambda: client.delete_run(run))",
      "refusal(lambda: client.delete_experiment('1'))",
      `elsewhere = os.environ['MLFLOW_TRACKING_URI'].rpartition('/')[0] + '/${other.projectId}'`,
      "refusal(lambda: mlflow.MlflowClient(tracking_uri=elsewhere).search_experiments())",
      "print('tried', len(earlier))",
    ];
    const { bench, node } = await open("3", ...lines);
    await bench.run();
    expect(await textOf(bench)).toContain("tried 0");
    await bench.code(node, using("3") + script(...lines, "# It has changed, so it runs again."));
    await bench.run();
    const printed = (await bench.lines()).map(([, text]) => text);
    expect(printed).toContain("tried 1");
    expect(printed).not.toContain("was allowed");
    const [denied, elsewhere] = ["refused PERMISSION_DENIED", "refused ENDPOINT_NOT_FOUND"];
    expect(printed.filter((line) => line.startsWith("refused"))).toEqual([
      ...[denied, elsewhere],
      ...[denied, "refused 403", denied, denied, elsewhere],
    ]);
    for (const one of [bench, other]) one.close();
  });
});
