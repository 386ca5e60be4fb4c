import { errors } from "@miranda/contract/errors.ts";
import type { ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import type {
  ModelAliases,
  ModelDetails,
  ModelMetrics,
  ModelVersionDetails,
  ModelVersionPage,
} from "@miranda/contract/schemas/models/versions.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addVersion } from "../../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let model: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  const [, second] = [
    await addVersion(server.db, project, "tides", { metrics: { accuracy: 0.9, loss: 0.3 }, author: "owner" }),
    await addVersion(server.db, project, "tides", {
      metrics: { accuracy: 0.8 },
      params: { depth: "3" },
      accountId: cast.editor.account.id,
      author: "editor",
      series: { loss: [3, Number.NaN, 1, 2], f1: [0.5] },
    }),
  ];
  model = second.modelId;
});

const at = (path = "") => `/api/v3/models/${model}${path}`;
const putJson = (path: string, value: unknown, who = cast.editor) =>
  who.send("PUT", path, JSON.stringify(value), { "content-type": "application/json" });
const patchJson = (path: string, value: unknown, who = cast.editor) =>
  who.send("PATCH", path, JSON.stringify(value), { "content-type": "application/json" });

describe("the page of a model", () => {
  it("has what the list shows, its versions, metrics and parameters", async () => {
    const page = (await cast.viewer.get(at())).json<ModelDetails>();
    expect(page).toMatchObject({
      ...{ id: model, name: "tides", access: "viewer", versions: 2, deleted_versions: 0, latest_version: 2 },
      ...{ best: { name: "accuracy", value: 0.9, number: 1 }, stage: "None", aliases: [], accuracy: 0.8 },
      ...{ graph: { id: "", name: "", project_id: project }, project_name: "Tides", deployments: [] },
      tracking_path: `/mlflow/${project}`,
    });
    expect(page.metric_names.toSorted()).toEqual(["accuracy", "f1", "loss"]);
    expect(page.param_names).toEqual(["depth"]);
    const { json } = (await cast.viewer.get("/api/v3/models/?id=tides")).json<ModelsResponse>();
    expect(json.find(({ id }) => id === model)).toMatchObject({ latest_version: 2, best: { number: 1 } });
  });

  it("lists versions in pages, the newest first, with those of the run that made them", async () => {
    const first = (await cast.viewer.get(at("/versions?limit=1"))).json<ModelVersionPage>();
    expect(first.versions).toMatchObject([
      {
        ...{ number: 2, metrics: { accuracy: 0.8, loss: 2, f1: 0.5 }, params: { depth: "3" }, author: "editor" },
        ...{ by: { username: "editor" }, run: null, workflow: null, node: null, uri: "models:/tides/2" },
        tracked_run: { name: "calm-crow-1", experiment: 0, experiment_name: "Default", status: "FINISHED" },
      },
    ]);
    expect(first.versions[0]?.tracked_run?.id).toMatch(/^[0-9a-f]{32}$/);
    expect(first.next).toBe(2);
    const second = (await cast.viewer.get(at("/versions?limit=1&after=2"))).json<ModelVersionPage>();
    expect([second.versions.map(({ number }) => number), second.next]).toEqual([[1], null]);
  });

  it("draws metrics of several versions, with gaps, extremes and the last value", async () => {
    const series = (await cast.viewer.get(at("/metrics?versions=1,2&name=loss"))).json<ModelMetrics>();
    expect(series).toEqual([
      {
        ...{ version: 2, name: "loss", wob_key: null, steps: [0, 1, 2, 3], values: [3, null, 1, 2], count: 4 },
        ...{ times: [0, 0.1, 0.2, 0.3], lower_is_better: true },
        ...{ lowest: { step: 2, value: 1 }, highest: { step: 0, value: 3 }, last: { step: 3, value: 2 } },
      },
    ]);
  });

  it("draws a hundred thousand points thinned out, with the highest and the lowest", async () => {
    const values = Array.from({ length: 100_000 }, (_, step) => Math.sin(step / 1_000));
    values[54_321] = 77;
    values[12_345] = -77;
    await addVersion(server.db, project, "tides", { series: { wave: values } });
    const began = performance.now();
    const [wave] = (await cast.viewer.get(at("/metrics?versions=3&points=300"))).json<ModelMetrics>();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(wave?.count).toBe(100_000);
    expect(wave?.values.length).toBeLessThanOrEqual(300);
    expect(wave?.values).toContain(77);
    expect(wave?.values).toContain(-77);
    expect(wave?.steps).toEqual(wave?.steps.toSorted((one, other) => one - other));
  });
});

describe("a change", () => {
  it("of the description and tags of a model and of a version is stored", async () => {
    const changed = await patchJson(at(), { description: "Says **when**.", tags: { team: "sea" }, name: "waves" });
    expect(changed.json<ModelDetails>()).toMatchObject({
      name: "waves",
      description: "Says **when**.",
      tags: { team: "sea" },
    });
    const version = await patchJson(at("/versions/1"), { description: "Old.", tags: { a: "" }, stage: "production" });
    expect(version.json<ModelVersionDetails>()).toMatchObject({
      description: "Old.",
      tags: { a: "" },
      stage: "Production",
    });
    expect((await patchJson(at(), {})).json<ModelDetails>().name).toBe("waves");
  });

  it("to the name of another model is refused", async () => {
    await addVersion(server.db, project, "other");
    expect(await patchJson(at(), { name: "other" })).toMatchObject({ status: 409, text: errors.model_name_taken });
  });

  it.for([
    ["a name with a slash", { name: "a/b" }],
    ["a name with a colon", { name: "a:b" }],
    ["a name of 500 letters", { name: "a".repeat(500) }],
    ["a tag of 500 letters", { tags: { ["k".repeat(500)]: "v" } }],
    ["a tag without a name", { tags: { "": "v" } }],
    ["a tag that is a number", { tags: { a: 1 } }],
    ["too many tags", { tags: Object.fromEntries(Array.from({ length: 201 }, (_, tag) => [`t${tag}`, ""])) }],
    ["a character that cannot be stored", { description: "a\u0000" }],
    ["tags that are a list", { tags: ["a"] }],
  ] as const)("to %s is refused", async ([_what, body]) => {
    expect((await patchJson(at(), body)).status).toBe(400);
  });
});

describe("an alias", () => {
  it("is set, moved and removed, and every move is kept with who and why", async () => {
    expect((await putJson(at("/aliases/champion"), { version: 1, reason: "The first." })).status).toBe(200);
    expect(await putJson(at("/aliases/champion"), { version: 2, reason: "Better." }, cast.owner)).toMatchObject({
      status: 200,
    });
    await putJson(at("/aliases/champion"), { version: 2 });
    const page = (await cast.viewer.get(at("/versions"))).json<ModelVersionPage>();
    expect(page.versions.map(({ aliases }) => aliases)).toEqual([["champion"], []]);
    const removed = await cast.editor.delete(at("/aliases/champion"), { reason: "Both are bad." });
    const { aliases, moves } = removed.json<ModelAliases>();
    expect(aliases).toEqual([]);
    expect(moves.map(({ from, to, reason, author, by }) => [from, to, reason, author, by?.username])).toEqual([
      [2, null, "Both are bad.", "editor", "editor"],
      [1, 2, "Better.", "owner", "owner"],
      [null, 1, "The first.", "editor", "editor"],
    ]);
    expect(await cast.editor.delete(at("/aliases/champion"))).toMatchObject({
      status: 404,
      text: errors.alias_not_found,
    });
  });

  it("moved by two people at once is where the last one put it", async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, turn) => putJson(at("/aliases/now"), { version: (turn % 2) + 1 })),
    );
    const { aliases, moves } = (await cast.viewer.get(at("/aliases"))).json<ModelAliases>();
    expect(aliases).toEqual([{ alias: "now", number: moves[0]?.to }]);
    for (const [place, move] of moves.entries()) expect(move.from).toBe(moves[place + 1]?.to ?? null);
  });

  it.for(["latest", "v12", "a%20b", "a%2Fb", "a".repeat(256), "%00", "models:"])(
    "called %s is refused",
    async (name) => {
      expect((await putJson(at(`/aliases/${name}`), { version: 1 })).status).toBe(400);
    },
  );

  it("of a version that is not there is refused", async () => {
    expect(await putJson(at("/aliases/champion"), { version: 9 })).toMatchObject({
      status: 404,
      text: errors.model_version_not_found,
    });
    expect((await putJson(at("/aliases/champion"), { version: 0 })).status).toBe(400);
    expect((await putJson(at("/aliases/champion"), { version: 1, reason: "a".repeat(3_000) })).status).toBe(400);
  });
});

it.for(["abc", "0", "-1", "1.5", "99999999999"])("a version %s has no page", async (number) => {
  expect((await cast.owner.get(at(`/versions/${number}`))).status).toBe(404);
});

it.for([
  ["no versions", "versions="],
  ["words", "versions=a,b"],
  ["thirty versions", `versions=${Array.from({ length: 30 }, (_, at) => at + 1).join(",")}`],
  ["a million points", "versions=1&points=1000000"],
] as const)("a chart of %s is refused", async ([_what, query]) => {
  expect((await cast.owner.get(at(`/metrics?${query}`))).status).toBe(400);
});
