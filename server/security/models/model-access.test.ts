import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import type { ModelTrash } from "@miranda/contract/schemas/models/versions.ts";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, type Role, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import { addTrackedRun, addVersion, type AddedVersion } from "../../testing/models/models.ts";
import { addRun } from "../../testing/runs.ts";
import type { Answer, TestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { versionsOf } from "../../testing/versions/versions.ts";
import { giveToken } from "../../testing/workbench.ts";

// Every cell of docs/spec/access-models.tsv.

const roles: readonly Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
const [, ...lines] = readFileSync(new URL("../../../docs/spec/access-models.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
const cells = lines.flatMap((line) => {
  const [resource = "", operation = "", ...words] = line.split("\t");
  return roles.map((role, place) => ({
    ...{ what: `${resource}: ${operation}`, role },
    ...{ status: Number.parseInt(words[place] ?? "", 10), isAbsent: /absent|empty/.test(words[place] ?? "") },
  }));
});

let server: TestServer;
let cast: Cast;
let project: string;
let graph: string;
let node: number;
let added: AddedVersion;
let token: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  token = await giveToken(cast.owner);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  graph = await buildGraph(cast, project);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
  added = await addVersion(server.db, project, "tides", { series: { loss: [1] }, loggedModel: true });
  await addVersion(server.db, project, "tides");
});

const at = (path = "") => `/api/v3/models/${added.modelId}${path}`;

const makeLoadable = () => putFile(`0/models/${added.loggedModelId}/artifacts/MLmodel`);

async function putFile(file: string): Promise<void> {
  const client = server.anonymous();
  client.headers = { authorization: `Bearer ${token}` };
  const path = `/mlflow/${project}/api/2.0/mlflow-artifacts/artifacts/${file}`;
  const { status, text } = await client.send("PUT", path, "flavors:\n  python_function: {}\n", {
    "content-type": "application/octet-stream",
  });
  if (status !== 200) throw new Error(text);
}

type Attempt = (client: TestClient) => Promise<Answer | Answer[]>;

const attempts: Record<string, Attempt> = {
  "model: list": (client) => client.get("/api/v3/models/"),
  "model: read": (client) => client.get(at()),
  "model: versions, one version": (client) => Promise.all([client.get(at("/versions")), client.get(at("/versions/1"))]),
  "model: metrics for a chart": (client) => client.get(at("/metrics?versions=1,2")),
  "model: change name, description, tags": (client) => client.patch(at(), { description: "New." }),
  "model version: change description, tags, stage": (client) => client.patch(at("/versions/1"), { stage: "Staging" }),
  "model: delete": (client) => client.delete(at()),
  "model: restore": async (client) => {
    await cast.owner.delete(at());
    return client.post(at("/restore"));
  },
  "model version: delete": (client) => client.delete(at("/versions/1")),
  "model version: restore": async (client) => {
    await cast.owner.delete(at("/versions/1"));
    return client.post(at("/versions/1/restore"));
  },
  "trash: list of a project": async (client) => {
    await cast.owner.delete(at());
    return client.get(`/api/v3/models/trash?project_id=${project}`);
  },
  "trash: empty": async (client) => {
    await cast.owner.delete(at());
    return client.delete(`/api/v3/models/trash?project_id=${project}`);
  },
  "alias: list with moves": (client) => client.get(at("/aliases")),
  "alias: set, move": (client) => client.put(at("/aliases/champion"), { version: 1 }),
  "alias: remove": async (client) => {
    await cast.owner.put(at("/aliases/champion"), { version: 1 });
    return client.delete(at("/aliases/champion"));
  },
  "lineage: of a version": (client) => client.get(at("/versions/1/lineage")),
  "lineage: reproductions": (client) => client.get(at("/versions/1/reproductions")),
  "lineage: models of a run, a version, a node": async (client) => {
    const { number } = await versionsOf(cast.owner, graph).made("First");
    return Promise.all([
      client.get(`/api/v3/graphs/${graph}/versions/${number}/models`),
      client.get(`/api/v3/objects/${node}/models`),
    ]);
  },
  "comparison: of versions and runs": (client) =>
    client.get(`/api/v3/models/compare?items=${added.modelId}@1,${added.trackedRunId}`),
  "plot: of a model, of an experiment": (client) =>
    Promise.all([
      client.get(at("/plot")),
      client.get(`/api/v3/projects/${project}/experiments`),
      client.get(`/api/v3/projects/${project}/experiments/0/plot`),
      client.get(`/api/v3/projects/${project}/experiments/0/runs/${added.trackedRunId.replaceAll("-", "")}`),
    ]),
  "files: of a version, of a run that a client made, of a run of a workflow": async (client) => {
    await makeLoadable();
    const run = await addRun(server.db, graph, cast.owner.account.id);
    await addTrackedRun(server.db, project, { runId: run });
    for (const id of [added.trackedRunId, run]) await putFile(`0/${id.replaceAll("-", "")}/artifacts/MLmodel`);
    const tracked = `/api/v3/projects/${project}/experiments/0/runs/${added.trackedRunId.replaceAll("-", "")}`;
    const folders = [at("/versions/1"), tracked, `/api/v3/runs/${run}`];
    const parts = ["artifacts", "artifacts/file?path=MLmodel", "artifacts.zip"];
    return Promise.all(folders.flatMap((folder) => parts.map((part) => client.get(`${folder}/${part}`))));
  },
  "model version: code of a node": async (client) => {
    await makeLoadable();
    return client.get(at("/versions/1/code"));
  },
  "model version: insert as a node": async (client) => {
    await makeLoadable();
    return client.post(at("/versions/1/node"), { graph_id: graph });
  },
  "model version: deploy": async (client) => {
    await makeLoadable();
    return client.post(at("/versions/1/deploy"), {});
  },
  "artefact bucket: read, leave": async (client) => [
    await client.get(`/api/v3/projects/${project}/artifact_bucket`),
    await client.delete(`/api/v3/projects/${project}/artifact_bucket`),
  ],
  "artefact bucket: choose": (client) =>
    client.put(`/api/v3/projects/${project}/artifact_bucket`, {
      ...{ endpoint: "http://127.0.0.1:9", bucket: "models", access_key: "a", secret_key: "b" },
    }),
};

it("has an attempt for every row of the table", () => {
  expect(Object.keys(attempts).toSorted()).toEqual([...new Set(cells.map(({ what }) => what))].toSorted());
});

describe.for(roles)("%s", (role) => {
  it.for(cells.filter((cell) => cell.role === role))("$what: $status", async ({ what, status, isAbsent }) => {
    const answers = [await attempts[what]?.(cast[role])].flat();
    for (const answer of answers) {
      const seen = answer?.status ?? 0;
      expect(seen >= 200 && seen < 300 ? 200 : seen).toBe(status);
    }
    const [answer] = answers;
    if (what === "model: list" && status === 200) {
      const ids = answer?.json<ModelsResponse>().json.map(({ id }) => id);
      expect(ids?.includes(added.modelId)).toBe(!isAbsent);
    }
    if (what === "trash: list of a project" && status === 200)
      expect(answer?.json<ModelTrash>()).toHaveLength(isAbsent ? 0 : 1);
  });
});
