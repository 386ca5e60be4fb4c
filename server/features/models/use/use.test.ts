import { errors } from "@miranda/contract/errors.ts";
import type { Deployment, ReleaseProposal } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { DeployedModel, InsertedModel, ModelCode } from "@miranda/contract/schemas/models/use.ts";
import type { ModelDetails, ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addVersion } from "../../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";
import { formCode, nodeCode } from "./model-code.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let model: string;
let token: string;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  token = await giveToken(cast.owner);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  const made = await addVersion(server.db, project, "iris", { loggedModel: true });
  model = made.modelId;
  folder = `0/models/${made.loggedModelId}/artifacts`;
});

// As a client writes it: JSON inside of YAML, folded where lines are long.
const mlmodel = `flavors:
  python_function:
    loader_module: mlflow.sklearn
    python_version: 3.12.3
  sklearn:
    code: null
mlflow_version: 3.17.2
signature:
  inputs: '[{"type": "double", "name": "sepal length (cm)", "required": true}, {"type":
    "long", "name": "class", "required": true}, {"type": "boolean", "name": "wet", "required": false}]'
  outputs: '[{"type": "tensor", "tensor-spec": {"dtype": "int64", "shape": [-1]}}]'
  params: '[{"name": "temperature", "type": "double", "default": 0.5, "shape": null}]'
`;

async function putFile(name: string, content: string): Promise<void> {
  const client = server.anonymous();
  client.headers = { authorization: `Bearer ${token}` };
  const path = `/mlflow/${project}/api/2.0/mlflow-artifacts/artifacts/${folder}/${name}`;
  const answer = await client.send("PUT", path, content, { "content-type": "application/octet-stream" });
  if (answer.status !== 200) throw new Error(answer.text);
}

const at = (path = "") => `/api/v3/models/${model}/versions/1${path}`;

it("reads the signature of a version from its MLmodel file", async () => {
  await putFile("MLmodel", mlmodel);
  const version = (await cast.viewer.get(at())).json<ModelVersionDetails>();
  expect(version).toMatchObject({ loadable: true, flavors: ["python_function", "sklearn"], files: 1 });
  expect(version.bytes).toBe(mlmodel.length);
  expect(version.signature).toEqual({
    inputs: [
      { name: "sepal length (cm)", type: "double", shape: null, required: true, default: null },
      { name: "class", type: "long", shape: null, required: true, default: null },
      { name: "wet", type: "boolean", shape: null, required: false, default: null },
    ],
    outputs: [{ name: "", type: "tensor of int64", shape: [-1], required: true, default: null }],
    params: [{ name: "temperature", type: "double", shape: null, required: true, default: 0.5 }],
  });
});

it.for([
  ["no YAML", "{{{{"],
  ["a list", "- a\n- b\n"],
  [
    "aliases that grow",
    `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: [*a,*a]`).join("\n")}\nflavors: {}\n`,
  ],
  ["a signature that is no JSON", "flavors:\n  python_function: {}\nsignature:\n  inputs: '[{'\n"],
  ["a megabyte", `flavors: {}\n# ${"x".repeat(1_000_000)}\n`],
] as const)("shows a version whose MLmodel file is %s", async ([_what, content]) => {
  await putFile("MLmodel", content);
  const version = await cast.viewer.get(at());
  expect(version.status).toBe(200);
  expect(version.json<ModelVersionDetails>().signature).toBeNull();
});

describe("a version as a node", () => {
  it("loads it with the packages that it was made with", async () => {
    await putFile("MLmodel", mlmodel);
    await putFile(
      "requirements.txt",
      "mlflow==3.17.2\nscikit-learn==1.8.0\n--index-url http://evil\nfoo @ http://evil\n",
    );
    const graph = await buildGraph(cast, project);
    const inserted = (await cast.editor.post(at("/node"), { graph_id: graph })).json<InsertedModel>();
    expect(inserted.address).toBe(`/designer/projects/${project}/graphs/${graph}/code/${inserted.wob_key}`);
    const node = (await cast.viewer.get(`/api/v3/objects/${inserted.wob_key}`)).json<Node>();
    expect(node.api.error).toBeNull();
    expect(node.api.attributes.map(({ name }) => name)).toEqual(expect.arrayContaining(["data", "prediction"]));
    expect(node.source_code).toContain(
      '# dependencies = [\n#     "mlflow==3.17.2",\n#     "scikit-learn==1.8.0",\n# ]',
    );
    expect(node.source_code).not.toContain("evil");
    expect(node.source_code).toContain('MODEL = "models:/iris/1"');
  });

  it("follows an alias that the version has", async () => {
    await putFile("MLmodel", mlmodel);
    const graph = await buildGraph(cast, project);
    const wish = { graph_id: graph, alias: "champion" };
    expect(await cast.editor.post(at("/node"), wish)).toMatchObject({ status: 404, text: errors.alias_not_found });
    await cast.editor.put(`/api/v3/models/${model}/aliases/champion`, { version: 1 });
    expect((await cast.editor.post(at("/node"), wish)).status).toBe(200);
    const { source_code } = (await cast.viewer.get(at("/code?alias=champion"))).json<ModelCode>();
    expect(source_code).toContain('get_model_version_by_alias("iris", "champion")');
  });

  it("goes into workflows of its project only, and only where the caller may write", async () => {
    await putFile("MLmodel", mlmodel);
    const other = await buildGraph(cast, (await buildProject(cast, "Other")).id);
    expect((await cast.editor.post(at("/node"), { graph_id: other })).status).toBe(404);
    const graph = await buildGraph(cast, project);
    expect((await cast.viewer.post(at("/node"), { graph_id: graph })).status).toBe(403);
    expect((await cast.stranger.post(at("/node"), { graph_id: graph })).status).toBe(404);
  });

  it("needs a model that MLflow can load", async () => {
    const graph = await buildGraph(cast, project);
    expect(await cast.editor.post(at("/node"), { graph_id: graph })).toMatchObject({
      ...{ status: 409, text: errors.model_not_loadable },
    });
  });
});

it("makes a workflow that asks for the inputs of the signature, ready to be deployed", async () => {
  await putFile("MLmodel", mlmodel);
  await cast.editor.put(`/api/v3/models/${model}/aliases/champion`, { version: 1 });
  const made = (await cast.editor.post(at("/deploy"), { alias: "champion" })).json<DeployedModel>();
  expect(made).toMatchObject({ name: "iris champion", version: 1, project_id: project });
  const proposal = (
    await cast.editor.get(`/api/v3/graphs/${made.graph_id}/deployment/proposal?version=1`)
  ).json<ReleaseProposal>();
  expect(proposal.fields.map(({ name, ticked, control }) => [name, ticked, control?.type])).toEqual([
    ["sepal_length_cm", true, "number"],
    ["class", true, "number"],
    ["wet", true, "toggle"],
    ["temperature", true, "number"],
  ]);
  expect(proposal.outputs.some(({ transmitter, ticked }) => transmitter === "prediction" && ticked)).toBe(true);
  const form = {
    fields: proposal.fields.map(({ node_name: _node, ticked: _ticked, ...field }) => field),
    outputs: proposal.outputs.map(({ node_name: _node, ticked: _ticked, ...output }) => output),
    steps: proposal.steps,
  };
  const body = {
    name: `iris-${project.slice(-6)}`,
    title: "Iris",
    release: { version: 1, form, channel: "production" },
  };
  const deployed = await cast.editor.postJson(`/api/v3/graphs/${made.graph_id}/deployment`, body);
  expect(deployed.status).toBe(201);
  const { deployments } = (await cast.viewer.get(`/api/v3/models/${model}`)).json<ModelDetails>();
  expect(deployments).toMatchObject([
    { id: deployed.json<Deployment>().id, title: "Iris", graph_id: made.graph_id, uri: "models:/iris@champion" },
  ]);
});

it("gives columns of 32 bits their type, one by one or in one table", () => {
  const wish = { modelName: "m", number: 1, alias: undefined, packages: [], mlflowVersion: "" };
  const field = (name: string, type: string) => ({ name, type, shape: null, required: true, default: null });
  const inputs = [field("a", "float"), field("b", "integer"), field("c", "double")];
  const code = formCode({ ...wish, signature: { inputs, outputs: [], params: [] } });
  expect(code).toContain(`data = narrowed(data, {"a": "float32", "b": "int32"})`);
  const table = { inputs: [...inputs, field("d", "binary")], outputs: [], params: [] };
  expect(formCode({ ...wish, signature: table })).toContain(`data = narrowed(data, {"a": "float32", "b": "int32"})`);
});

it("writes code that nothing in a name can break out of", async () => {
  const evil = `a"""\nimport os # ' \\ \u2028 {x}`;
  const wish = { modelName: evil, number: 1, alias: undefined, packages: [], mlflowVersion: "" };
  const field = { name: `b"\n'`, type: "string", shape: null, required: true, default: `c"""\n` };
  const signature = { inputs: [field], outputs: [], params: [] };
  const graph = await buildGraph(cast, project);
  for (const code of [
    nodeCode({ ...wish, signature }),
    formCode({ ...wish, signature }),
    formCode({ ...wish, signature: null }),
  ]) {
    const made = await cast.owner.post("/api/v3/objects?wob_type=CODE_BLOCK", { name: "x", project_id: graph });
    const id = made.json<Node>().metadata_id;
    await cast.owner.put(`/api/v3/objects/${id}/api`, { source_code: code });
    const { api } = (await cast.owner.get(`/api/v3/objects/${id}`)).json<Node>();
    expect(api.error).toBeNull();
    expect(code.split("\n").filter((line) => line.startsWith("import os"))).toEqual([]);
  }
});
