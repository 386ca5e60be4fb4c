import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildTracking, type MlflowClient, refusalOf } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";

interface Version {
  model_version: {
    name: string;
    version: string;
    source: string;
    run_id?: string;
    current_stage: string;
    aliases?: string[];
  };
}
interface Registered {
  registered_model: {
    name: string;
    latest_versions?: { version: string; current_stage: string }[];
    aliases?: object[];
  };
}

let server: TestServer;
let owner: TestAccount;
let mlflow: MlflowClient;
let run: string;

beforeAll(async () => {
  server = await startTestServer();
  ({ owner, mlflow, run } = await buildTracking(server));
  for (const name of ["Iris", "New", "Raced", "Sources", "Staged"]) await register(name);
  await mlflow.send("POST", "registered-models/set-tag", { name: "New", key: "team", value: "blue" });
  await addVersion("Iris");
  for (let made = 0; made < 12; made += 1) await addVersion("Raced");
  for (let made = 0; made < 4; made += 1) await addVersion("Sources");
  await mlflow.send("POST", "model-versions/create", { name: "Sources", source: "s3://bucket/model" });
  await addVersion("Staged");
  await addVersion("Staged");
});
afterAll(() => server.close());

const register = (name: string) => mlflow.send("POST", "registered-models/create", { name });
const addVersion = async (name: string, given: object = {}) =>
  mlflow.send("POST", "model-versions/create", { name, source: `runs:/${run}/model`, run_id: run, ...given });

describe("an alias", () => {
  it("is set, moved, read and removed, and every move is kept", async () => {
    const set = (version: string) =>
      mlflow.send("POST", "registered-models/alias", { name: "Raced", alias: "champion", version });
    expect((await set("1")).json()).toEqual({});
    await set("2");
    const got = (
      await mlflow.send("GET", "registered-models/alias", { name: "Raced", alias: "champion" })
    ).json<Version>();
    expect(got.model_version).toMatchObject({ version: "2", aliases: ["champion"] });
    const { registered_model } = (
      await mlflow.send("GET", "registered-models/get", { name: "Raced" })
    ).json<Registered>();
    expect(registered_model.aliases).toEqual([{ alias: "champion", version: "2" }]);
    expect(
      (await mlflow.send("GET", "registered-models/alias", { name: "Raced", alias: "Latest" })).json<Version>()
        .model_version.version,
    ).toBe("12");
    await mlflow.send("DELETE", "registered-models/alias", { name: "Raced", alias: "champion" });
    expect(
      refusalOf(await mlflow.send("GET", "registered-models/alias", { name: "Raced", alias: "champion" })),
    ).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    const moves = await server.db
      .selectFrom("model_alias_moves")
      .innerJoin("models", "models.id", "model_id")
      .select(["from_number", "to_number", "author"])
      .where("models.name", "=", "Raced")
      .orderBy("model_alias_moves.id")
      .execute();
    const author = owner.account.username;
    expect(moves).toEqual([
      { from_number: null, to_number: 1, author },
      { from_number: 1, to_number: 2, author },
      { from_number: 2, to_number: null, author },
    ]);
  });

  it.for([
    ["latest", 400],
    ["v1", 400],
    ["", 400],
    ["a b", 400],
    ["a".repeat(500), 400],
  ] as const)("may not be called %s", async ([alias, status]) => {
    expect((await mlflow.send("POST", "registered-models/alias", { name: "Raced", alias, version: "1" })).status).toBe(
      status,
    );
  });

  it("needs a version", async () => {
    expect(
      refusalOf(await mlflow.send("POST", "registered-models/alias", { name: "Raced", alias: "x", version: "99" })),
    ).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  });
});

describe("a search", () => {
  const models = async (query: Record<string, string>) => {
    const answer = (await mlflow.send("GET", "registered-models/search", query)).json<{
      registered_models?: { name: string }[];
      next_page_token?: string;
    }>();
    return { names: (answer.registered_models ?? []).map(({ name }) => name), next: answer.next_page_token };
  };

  it("finds models by name and tag, in order and in pages", async () => {
    const all = await models({ filter: "tag.`mlflow.prompt.is_prompt` != 'true'", max_results: "100" });
    expect(all.names).toEqual(all.names.toSorted());
    expect(all.names).toContain("Iris");
    expect((await models({ filter: "name LIKE 'Ra%'" })).names).toEqual(["Raced"]);
    expect((await models({ filter: "name ILIKE 'ra%'" })).names).toEqual(["Raced"]);
    expect((await models({ filter: "tags.team = 'blue'" })).names).toEqual(["New"]);
    expect((await models({ filter: "name = 'it''s'" })).names).toEqual([]);
    const first = await models({ max_results: "2", order_by: "name DESC" });
    const second = await models({ max_results: "2", order_by: "name DESC", page_token: first.next ?? "" });
    expect([...first.names, ...second.names]).toEqual(all.names.toReversed().slice(0, 4));
  });

  it("finds versions by name, run and tag", async () => {
    const versions = async (filter: string) =>
      (
        (await mlflow.send("GET", "model-versions/search", { filter, max_results: "10000" })).json<{
          model_versions?: { name: string; version: string }[];
        }>().model_versions ?? []
      ).map(({ name, version }) => `${name}/${version}`);
    expect(await versions("name='Iris'")).toEqual(["Iris/1"]);
    expect(await versions("name='Raced' AND version_number > 11")).toEqual(["Raced/12"]);
    expect(await versions(`run_id = '${run}' AND name IN ('Iris', 'Staged')`)).toHaveLength(3);
    expect(await versions("source_path LIKE 's3:%'")).toEqual(["Sources/5"]);
    expect(await versions("run_id = 'nope'")).toEqual([]);
  });

  it.for([
    { filter: "name =" },
    { filter: "name ~ 'x'" },
    { filter: "owner = 'x'" },
    { filter: "name = 'a' OR name = 'b'" },
    { max_results: "1000000" },
    { max_results: "0" },
    { page_token: "nonsense" },
    { order_by: "nothing" },
  ])("refuses %s", async (query: Record<string, string>) => {
    for (const path of ["registered-models/search", "model-versions/search"])
      expect(refusalOf(await mlflow.send("GET", path, query))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  });
});

it("lets viewers read and not write", async () => {
  const { clientOf, ...other } = await buildTracking(server);
  const viewer = await server.signUp();
  await other.owner.patch(`/api/v3/projects/${other.projectId}`, { visibility: "public" });
  await other.mlflow.send("POST", "registered-models/create", { name: "Seen" });
  const reader = await clientOf(viewer);
  expect((await reader.send("GET", "registered-models/get", { name: "Seen" })).status).toBe(200);
  for (const answer of [
    await reader.send("POST", "registered-models/create", { name: "x" }),
    await reader.send("POST", "model-versions/create", { name: "Seen", source: "s3://x/y" }),
    await reader.send("POST", "registered-models/alias", { name: "Seen", alias: "a", version: "1" }),
    await reader.send("DELETE", "registered-models/delete", { name: "Seen" }),
    await reader.send("POST", "logged-models", { experiment_id: "1" }),
  ])
    expect(refusalOf(answer)).toEqual([403, "PERMISSION_DENIED"]);
});
