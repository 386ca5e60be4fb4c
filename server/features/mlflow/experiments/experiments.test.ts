import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type MlflowClient, openTracking } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let client: MlflowClient;
let projectId: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ client, projectId } = await openTracking(server, await server.signUp()));
});
afterAll(() => server.close());

interface Experiment {
  experiment_id: string;
  name: string;
  lifecycle_stage: string;
  tags?: { key: string; value: string }[];
}
interface Page {
  experiments: Experiment[];
  next_page_token?: string;
}

const get = async (id: string) =>
  (await client.get<{ experiment: Experiment }>("experiments/get", { experiment_id: id })).experiment;
const create = async (name: string, more = {}) =>
  (await client.post<{ experiment_id: string }>("experiments/create", { name, ...more })).experiment_id;

describe("an experiment", () => {
  it("is made and found by its name, as a client sets it", async () => {
    expect(await client.refused("GET", "experiments/get-by-name", { experiment_name: "exp1" })).toEqual([
      404,
      "RESOURCE_DOES_NOT_EXIST",
      "Could not find experiment with name 'exp1'",
    ]);
    const id = await create("exp1", { tags: [{ key: "team", value: "tides" }] });
    expect(id).toBe("1");
    expect(await get(id)).toEqual({
      experiment_id: "1",
      name: "exp1",
      artifact_location: "mlflow-artifacts:/1",
      lifecycle_stage: "active",
      creation_time: expect.any(Number) as number,
      last_update_time: expect.any(Number) as number,
      tags: [{ key: "team", value: "tides" }],
    });
    expect(await client.refused("POST", "experiments/create", { name: "exp1" })).toEqual([
      400,
      "RESOURCE_ALREADY_EXISTS",
      "Experiment(name=exp1) already exists.",
    ]);
  });

  it("0 is there in every project", async () => {
    expect(await get("0")).toMatchObject({ name: "Default", lifecycle_stage: "active" });
    expect(await client.get<Page>("experiments/get-by-name", { experiment_name: "Default" })).toMatchObject({
      experiment: { experiment_id: "0" },
    });
  });

  it("is renamed, deleted with its runs, and restored with them", async () => {
    const id = await create("short-lived");
    await client.post("experiments/update", { experiment_id: id, new_name: "renamed / and again" });
    expect((await get(id)).name).toBe("renamed / and again");
    const { run } = await client.post<{ run: { info: { run_id: string } } }>("runs/create", { experiment_id: id });
    const { run_id } = run.info;
    await client.post("experiments/delete", { experiment_id: id });
    expect((await get(id)).lifecycle_stage).toBe("deleted");
    const stage = async () =>
      (await client.get<{ run: { info: { lifecycle_stage: string } } }>("runs/get", { run_id })).run.info
        .lifecycle_stage;
    expect(await stage()).toBe("deleted");
    expect(await client.refused("POST", "runs/create", { experiment_id: id })).toEqual([
      400,
      "INVALID_PARAMETER_VALUE",
      `The experiment ${id} must be in the 'active' state. Current state is deleted.`,
    ]);
    await client.post("experiments/restore", { experiment_id: id });
    expect((await get(id)).lifecycle_stage).toBe("active");
    expect(await stage()).toBe("active");
    expect((await client.refused("POST", "experiments/restore", { experiment_id: id }))[0]).toBe(400);
  });

  it("has tags that are set and deleted", async () => {
    const id = await create("tagged");
    await client.post("experiments/set-experiment-tag", { experiment_id: id, key: "mlflow.note.content", value: "a" });
    await client.post("experiments/set-experiment-tag", { experiment_id: id, key: "mlflow.note.content", value: "b" });
    expect((await get(id)).tags).toEqual([{ key: "mlflow.note.content", value: "b" }]);
    const gone = { experiment_id: id, key: "mlflow.note.content" };
    await client.post("experiments/delete-experiment-tag", gone);
    expect((await get(id)).tags).toBeUndefined();
    expect((await client.refused("POST", "experiments/delete-experiment-tag", gone))[1]).toBe(
      "RESOURCE_DOES_NOT_EXIST",
    );
  });

  it("gets a number of its own when two clients make some at once", async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, (_, at) => create(`at once ${at}`)));
    expect(new Set(ids).size).toBe(12);
    const same = await Promise.allSettled(Array.from({ length: 6 }, () => create("the same")));
    expect(same.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("of a workflow has its name, and is no other project's", async () => {
    const other = await openTracking(server, await server.signUp());
    await other.client.post("experiments/create", { name: "exp1" });
    const { experiments } = await other.client.post<Page>("experiments/search", { max_results: 100 });
    expect(experiments.map(({ name }) => name)).toEqual(["exp1", "Default"]);
  });
});

describe("a search for experiments", () => {
  const search = async (body: object) => client.post<Page>("experiments/search", body);
  const names = async (body: object) => (await search(body)).experiments.map(({ name }) => name);

  it("filters, orders and goes from page to page", async () => {
    for (const name of ["alpha", "Beta", "gamma"])
      await create(`search ${name}`, { tags: [{ key: "a b", value: name }] });
    expect(await names({ filter: "name LIKE 'search %'", order_by: ["name ASC"] })).toEqual([
      "search Beta",
      "search alpha",
      "search gamma",
    ]);
    expect(await names({ filter: "attribute.name ILIKE '%BETA%'" })).toEqual(["search Beta"]);
    expect(await names({ filter: "tags.`a b` = 'gamma' AND creation_time > 0" })).toEqual(["search gamma"]);
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const page: Page = await search({ filter: "name LIKE 'search %'", max_results: 1, page_token });
      seen.push(...page.experiments.map(({ name }) => name));
      page_token = page.next_page_token;
    } while (page_token !== undefined);
    expect(seen).toEqual(["search gamma", "search Beta", "search alpha"]);
  });

  it("shows deleted ones when asked", async () => {
    const id = await create("deleted one");
    await client.post("experiments/delete", { experiment_id: id });
    expect(await names({ filter: "name = 'deleted one'" })).toEqual([]);
    expect(await names({ filter: "name = 'deleted one'", view_type: "DELETED_ONLY" })).toEqual(["deleted one"]);
    expect(await names({ filter: "name = 'deleted one'", view_type: "ALL" })).toEqual(["deleted one"]);
  });

  it.for([
    ["an unknown attribute", { filter: "colour = 'red'" }, /Invalid attribute key 'colour'/],
    ["a metric", { filter: "metrics.a > 1" }, /Invalid entity type 'metrics'/],
    ["a token that is none", { page_token: "!!" }, /Invalid page token/],
    ["a page of nothing", { max_results: 0 }, /max_results/],
    ["an endless page", { max_results: 1_000_000 }, /max_results/],
  ] as const)("refuses %s", async ([_what, body, words]) => {
    const [status, code, message] = await client.refused("POST", "experiments/search", body);
    expect([status, code]).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(message).toMatch(words);
  });
});

it.for([
  ["no name", "create", {}, 400, "Missing value for required parameter 'name'"],
  ["an empty name", "create", { name: "" }, 400, "must not be empty"],
  ["a name of 501 characters", "create", { name: "x".repeat(501) }, 400, "exceeds the maximum length of 500"],
  ["another place for files", "create", { name: "s3", artifact_location: "s3://bucket" }, 400, "artifact_location"],
  [
    "a tag of 500 characters",
    "create",
    { name: "t", tags: [{ key: "k".repeat(500), value: "" }] },
    400,
    "250 characters",
  ],
  ["an unknown experiment", "delete", { experiment_id: "999" }, 404, "No Experiment with id=999 exists"],
  ["an id that is no number", "delete", { experiment_id: "../1" }, 404, "No Experiment with id=../1 exists"],
] as const)("refuses %s", async ([_what, call, body, status, words]) => {
  const refused = await client.refused("POST", `experiments/${call}`, body);
  expect(refused[0]).toBe(status);
  expect(refused[2]).toContain(words);
});

it("keeps what the project has when it is deleted: nothing", async () => {
  const owner = await server.signUp();
  const gone = await openTracking(server, owner);
  await gone.client.post("runs/create", { experiment_id: "0" });
  await owner.delete(`/api/v3/projects/${gone.projectId}`);
  expect((await gone.client.refused("GET", "experiments/get", { experiment_id: "0" })).slice(0, 2)).toEqual([
    404,
    "RESOURCE_DOES_NOT_EXIST",
  ]);
  const left = () =>
    server.db.selectFrom("tracked_runs").select("id").where("project_id", "=", gone.projectId).execute();
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  expect(projectId).not.toBe(gone.projectId);
});
