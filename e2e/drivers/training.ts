import { type APIRequestContext, type BrowserContext, expect } from "@playwright/test";
import { randomBytes } from "node:crypto";

import type { AccessTokenResponse } from "@miranda/contract/schemas/auth.ts";
import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";

import { address, password } from "./people.ts";

/** Speaks to the tracking server of a project as MLflow's client does. */
export interface Tracking {
  project: string;
  call: (path: string, body: Record<string, unknown>) => Promise<unknown>;
  upload: (path: string, content: string | Buffer) => Promise<void>;
}

/** With an access token of the person whose browser it is. */
export async function openTracking(context: BrowserContext, project: string): Promise<Tracking> {
  const made = await context.request.post(address("/api/v3/auth/access_tokens"), {
    form: { name: "training", web_password: password },
  });
  expect(made.status(), await made.text()).toBe(200);
  const { token } = (await made.json()) as AccessTokenResponse;
  const request: APIRequestContext = context.request;
  const headers = { authorization: `Bearer ${token}` };
  const base = address(`/mlflow/${project}/api/2.0`);
  return {
    project,
    async call(path, body) {
      const answer = await request.post(`${base}/mlflow/${path}`, { data: body, headers });
      expect(answer.status(), `${path}: ${await answer.text()}`).toBe(200);
      return (await answer.json()) as unknown;
    },
    async upload(path, content) {
      const answer = await request.put(`${base}/mlflow-artifacts/artifacts/${path}`, {
        data: content,
        headers: { ...headers, "content-type": "application/octet-stream" },
      });
      expect(answer.status(), `${path}: ${await answer.text()}`).toBe(200);
    },
  };
}

/** A name that no other journey uses: models of public projects are in everybody's list. */
export function newName(name: string): string {
  return `${name}-${randomBytes(4).toString("hex")}`;
}

export interface Training {
  /** In the registry. It is made with its first version. */
  name: string;
  params: Record<string, string>;
  /** The values of each metric, step by step. */
  metrics: Record<string, readonly (number | string)[]>;
  files?: Record<string, string | Buffer>;
}

/** A run that logs a model and registers it: one more version. */
export async function train(
  tracking: Tracking,
  { name, params, metrics, files = modelFiles }: Training,
): Promise<number> {
  const { call, upload } = tracking;
  const now = Date.now();
  const { run } = (await call("runs/create", { experiment_id: "0", start_time: now })) as {
    run: { info: { run_id: string } };
  };
  const run_id = run.info.run_id;
  const points = Object.entries(metrics).flatMap(([key, values]) =>
    values.map((value, step) => ({ key, value, step, timestamp: now + step * 1_000 })),
  );
  await call("runs/log-batch", {
    run_id,
    metrics: points,
    params: Object.entries(params).map(([key, value]) => ({ key, value })),
  });
  const { model } = (await call("logged-models", { experiment_id: "0", name: "model", source_run_id: run_id })) as {
    model: { info: { model_id: string; artifact_uri: string } };
  };
  const { model_id, artifact_uri } = model.info;
  const folder = artifact_uri.replace("mlflow-artifacts:/", "");
  for (const [path, content] of Object.entries(files)) await upload(`${folder}/${path}`, content);
  await call("runs/update", { run_id, status: "FINISHED", end_time: now + 60_000 });
  await makeRegistered(tracking, name);
  const { model_version } = (await call("model-versions/create", {
    name,
    source: `models:/${model_id}`,
    model_id,
    run_id,
  })) as { model_version: { version: string } };
  return Number(model_version.version);
}

const registered = new Set<string>();

async function makeRegistered({ project, call }: Tracking, name: string): Promise<void> {
  if (registered.has(`${project} ${name}`)) return;
  await call("registered-models/create", { name });
  registered.add(`${project} ${name}`);
}

/** The id under which the product knows a model. */
export async function findModel(context: BrowserContext, name: string): Promise<string> {
  const answer = await context.request.get(address(`/api/v3/models/?limit=10&id=${encodeURIComponent(name)}`));
  const { json } = (await answer.json()) as ModelsResponse;
  const found = json.find((model) => model.name === name);
  expect(found, `There is no model ${name}.`).toBeDefined();
  return found?.id ?? "";
}

/** A picture of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const columns = ["sepal length", "sepal width"].map((name) => ({ type: "double", name, required: true }));

const modelFiles: Record<string, string | Buffer> = {
  MLmodel: `flavors:
  python_function:
    env: {}
    loader_module: mlflow.sklearn
    model_path: model.pkl
    python_version: 3.12.0
  sklearn:
    code: null
    pickled_model: model.pkl
mlflow_version: 3.17.2
model_uuid: m-1
signature:
  inputs: '${JSON.stringify(columns)}'
  outputs: '[{"type": "tensor", "tensor-spec": {"dtype": "int64", "shape": [-1]}}]'
  params: null
`,
  "model.pkl": Buffer.from([128, 4, 0, 1, 2, 3]),
  "data/rows.csv": "kind,length\nsetosa,5.1\nvirginica,6.5\n",
  "data/info.json": '{"classes": ["setosa", "virginica"], "rows": 150}',
  "plots/confusion.png": picture,
};
