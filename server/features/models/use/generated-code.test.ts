import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";
import type { DeployedModel, InsertedModel } from "@miranda/contract/schemas/models/use.ts";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { hasMlflow, mlflowWheels } from "../../../../scripts/mlflow.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { deploymentOf, releaseAsProposed } from "../../../testing/deployments/deployments.ts";
import { callsOf } from "../../../testing/deployments/served.ts";
import { runClient } from "../../../testing/services/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken, Workbench } from "../../../testing/workbench.ts";

const training = join(import.meta.dirname, "..", "..", "mlflow", "clients", "train.py");

const feed = `import pandas
from miranda import Node, Transmitter

NAMES = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]


class Feed(Node):
    rows = Transmitter()

    def run(self):
        self.rows.send(pandas.DataFrame([[5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]], columns=NAMES))
`;
const say = `from miranda import Node, Receiver


class Say(Node):
    prediction = Receiver()

    def run(self):
        print("predicted", self.prediction.tolist())
`;

// Sessions install the model's packages from a local copy of the files of PyPI.
describe.skipIf(!hasMlflow())("code that is made from a scikit-learn model", { timeout: 400_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    vi.stubEnv("PIP_NO_INDEX", "1");
    vi.stubEnv("PIP_FIND_LINKS", mlflowWheels);
    const environment = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" };
    server = await startTestServer({ processors: readConfig(environment).processors });
  }, 60_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  it("predicts as a node of a workflow, and as a deployment that follows an alias", async () => {
    const bench = await Workbench.open(server);
    const { owner, projectId, graphId } = bench;
    const tracking = { uri: `${server.url}/mlflow/${projectId}`, token: await giveToken(owner) };
    const trained = await runClient("3", { file: training }, tracking);
    expect(trained).toMatchObject({ code: 0 });
    const { id: model } = await server.db
      .selectFrom("models")
      .select("id")
      .where("project_id", "=", projectId)
      .executeTakeFirstOrThrow();
    const at = `/api/v3/models/${model}/versions/1`;

    const inserted = (await owner.post(`${at}/node`, { graph_id: graphId })).json<InsertedModel>();
    await bench.edge(await bench.node(feed, "Feed"), "rows", inserted.wob_key, "data");
    await bench.edge(inserted.wob_key, "prediction", await bench.node(say, "Say"), "prediction");
    await bench.start();
    await bench.run();
    expect((await bench.lines()).map(([, text]) => text)).toContain("predicted [0, 2]");
    await bench.until("stop", "", "EXITED");
    bench.close();

    const made = (await owner.post(`${at}/deploy`, { alias: "champion" })).json<DeployedModel>();
    const release = { ...(await releaseAsProposed(owner, made.graph_id)), channel: "production" };
    const name = `iris-${projectId.slice(-6)}`;
    await deploymentOf(owner, made.graph_id).deployed({ name, title: "Iris", release });
    const calls = callsOf(owner, name);
    const [one, other] = [await calls.done(inputs(5.1, 3.5, 1.4, 0.2)), await calls.done(inputs(6.7, 3, 5.2, 2.3))];
    const predicted = ({ outputs }: Call) => outputs.find(({ name: output }) => output === "prediction")?.data;
    expect([predicted(one), predicted(other)]).toMatchObject([{ "application/json": 0 }, { "application/json": 2 }]);
  });

  it("predicts from columns of 32 bits", async () => {
    const bench = await Workbench.open(server);
    const { owner, projectId } = bench;
    const tracking = { uri: `${server.url}/mlflow/${projectId}`, token: await giveToken(owner) };
    expect(await runClient("3", { code: narrowTraining }, tracking)).toMatchObject({ code: 0 });
    const { id: model } = await server.db
      .selectFrom("models")
      .select("id")
      .where("project_id", "=", projectId)
      .executeTakeFirstOrThrow();
    const made = (await owner.post(`/api/v3/models/${model}/versions/1/deploy`, {})).json<DeployedModel>();
    const { nodes } = (await owner.get(`/api/v3/graphs/${made.graph_id}/graph`)).json<{
      nodes: Record<string, { source_code: string }>;
    }>();
    const [node] = Object.values(nodes);
    const code = [
      `import sys\nsys.path.insert(0, ${JSON.stringify(runtime)})`,
      node?.source_code,
      "node = PredictNarrow()\nnode.height, node.count = 1.5, 2\nnode.run()\nprint('sent', node.prediction.sent)",
      // In 32 bits it would be another number.
      "node.count = 3_000_000_000\ntry:\n    node.run()\nexcept Exception as error:\n    print('refused', type(error).__name__)",
    ].join("\n");
    const predicted = await runClient("3", { code }, tracking);
    expect(predicted).toMatchObject({ code: 0, output: expect.stringContaining("sent [3.5]") });
    expect(predicted.output).toContain("refused MlflowException");
    bench.close();
  });
});

const runtime = join(import.meta.dirname, "..", "..", "..", "..", "runtime");
// Adds up its columns.
const narrowTraining = `import mlflow, pandas
from mlflow.models import infer_signature

class Sum(mlflow.pyfunc.PythonModel):
    def predict(self, context, model_input, params=None):
        return model_input.sum(axis=1).tolist()

data = pandas.DataFrame({"height": [0.5], "count": [1]}).astype({"height": "float32", "count": "int32"})
mlflow.pyfunc.log_model(name="model", python_model=Sum(), signature=infer_signature(data, [1.5]), registered_model_name="narrow")
`;

const inputs = (sepalLength: number, sepalWidth: number, petalLength: number, petalWidth: number) => ({
  sepal_length_cm: sepalLength,
  sepal_width_cm: sepalWidth,
  petal_length_cm: petalLength,
  petal_width_cm: petalWidth,
});
