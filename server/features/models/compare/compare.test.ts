import type {
  ExperimentList,
  ModelComparison,
  RunsPlot,
  TrackedRun,
} from "@miranda/contract/schemas/models/compare.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildProject, type Cast, signUpCast } from "../../../testing/access.ts";
import { addTrackedRun, addVersion } from "../../../testing/models/models.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let project: string;
let model: string;
let run: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = (await buildProject(cast)).id;
  const one = {
    metrics: { odd: 7 },
    params: { depth: "3", kind: "tree" },
    series: { loss: [5, 1, 2], accuracy: [0.1, 0.9, 0.4] },
  };
  const two = {
    metrics: { odd: "NaN" },
    params: { depth: "4", kind: "tree" },
    series: { loss: [4, 3], accuracy: [0.4, 0.4] },
  };
  await addVersion(server.db, project, "tides", one);
  ({ modelId: model } = await addVersion(server.db, project, "tides", two));
  run = await addTrackedRun(server.db, project, { params: { depth: "5" }, series: { loss: [1, Number.NaN] } });
});

const items = () => `${model}@1,${model}@2,${run.replaceAll("-", "")}`;
const compare = (query: string, who = cast.viewer) => who.get(`/api/v3/models/compare?${query}`);
const read = async (query: string) => (await compare(query)).json<ModelComparison>();
const rowsOf = ({ metrics }: ModelComparison) => Object.fromEntries(metrics.map(({ name, values }) => [name, values]));

describe("a comparison", () => {
  it("names people and sizes as the list of versions does", async () => {
    await server.db
      .updateTable("accounts")
      .set({ first_name: "Ada", last_name: "Lovelace" })
      .where("id", "=", cast.owner.account.id)
      .execute();
    const logged = await addVersion(server.db, project, "tides", {
      ...{ loggedModel: true, author: "owner", accountId: cast.owner.account.id },
    });
    await server.db
      .insertInto("artifacts")
      .values({
        ...{ project_id: project, path: `0/models/${logged.loggedModelId}/artifacts/MLmodel` },
        ...{ bytes: 618, sha256: Buffer.alloc(32) },
      })
      .execute();
    const { facts } = await read(`items=${model}@1,${model}@3`);
    const values = Object.fromEntries(facts.map((row) => [row.name, row.values]));
    expect(values).toMatchObject({ Author: ["Unknown", "Ada Lovelace"], Size: ["No files", "618 B"] });
  });

  it("has the last value of each metric, the parameters, and what differs", async () => {
    const found = await read(`items=${items()}`);
    expect(found.items.map(({ label, model: of }) => [label, of?.number])).toEqual([
      ["tides 1", 1],
      ["tides 2", 2],
      ["calm-crow-1", undefined],
    ]);
    expect(rowsOf(found)).toEqual({ loss: [2, 3, "NaN"], accuracy: [0.4, 0.4, null], odd: [7, "NaN", null] });
    expect(found.metrics.find(({ name }) => name === "loss")).toMatchObject({
      best: [0],
      lower_is_better: true,
      steps: [2, 1, 1],
    });
    expect(found.params).toEqual([
      { name: "depth", values: ["3", "4", "5"], differs: true },
      { name: "kind", values: ["tree", "tree", null], differs: true },
    ]);
    expect(found.steps).toEqual({ from: 0, to: 2 });
  });

  it("has the last value of a version itself, where its run logged another one", async () => {
    const { number } = await addVersion(server.db, project, "tides", {
      metrics: { accuracy: 0.7 },
      series: { accuracy: [0.7, 0.8], loss: [3] },
    });
    const found = await read(`items=${model}@1,${model}@${number}`);
    expect(found.metrics).toMatchObject([
      { name: "loss", values: [2, 3], steps: [2, 0] },
      { name: "accuracy", values: [0.4, 0.7], steps: [2, null] },
      { name: "odd" },
    ]);
    // While a client's run goes on, its version has what was known when it was registered.
    await sql`update tracked_runs set ended_at = null where id = (
      select tracked_run_id from model_versions where model_id = ${model} and number = ${number})`.execute(server.db);
    await sql`update model_versions set source = 'runs:/x/model' where model_id = ${model} and number = ${number}`.execute(
      server.db,
    );
    expect(rowsOf(await read(`items=${model}@1,${model}@${number}`))).toMatchObject({ accuracy: [0.4, 0.8] });
  });

  it("has the best value of each metric, and where it was", async () => {
    const found = await read(`items=${items()}&at=best`);
    expect(rowsOf(found)).toMatchObject({ loss: [1, 3, 1], accuracy: [0.9, 0.4, null] });
    expect(found.metrics.find(({ name }) => name === "loss")).toMatchObject({ steps: [1, 1, 0], best: [0, 2] });
  });

  it("has the values at a step, or the last before it", async () => {
    expect(rowsOf(await read(`items=${items()}&at=step&step=0`))).toEqual({
      loss: [5, 4, 1],
      accuracy: [0.1, 0.4, null],
    });
    expect(rowsOf(await read(`items=${items()}&at=step&step=1.5`))).toMatchObject({ loss: [1, 3, "NaN"] });
    expect(rowsOf(await read(`items=${items()}&at=step&step=-1`))).toEqual({});
  });

  it("finds the value at a step among a hundred thousand", async () => {
    const series = { loss: Array.from({ length: 100_000 }, (_, step) => step / 2) };
    const { number } = await addVersion(server.db, project, "tides", { series });
    const found = await read(`items=${model}@1,${model}@${number}&at=step&step=77777`);
    expect(rowsOf(found)).toMatchObject({ loss: [2, 38_888.5] });
  });

  it("says that two equal versions do not differ", async () => {
    const { metrics, params } = await read(`items=${model}@1,${model}@1,${model}@2`.replace(`${model}@1,`, ""));
    expect(params.find(({ name }) => name === "kind")?.differs).toBe(false);
    expect(metrics.find(({ name }) => name === "accuracy")).toMatchObject({ differs: false, best: [] });
  });

  it.for([
    ["one thing", (one: string) => `items=${one}`],
    ["nothing", () => "items="],
    ["words", () => "items=a,b"],
    [
      "twenty-one things",
      (one: string) => `items=${Array.from({ length: 21 }, (_, at) => one.replace(/@.*/, `@${at + 1}`)).join(",")}`,
    ],
    ["a step without a number", (one: string) => `items=${one},${one.replace("@1", "@2")}&at=step`],
    ["a step that is a word", (one: string) => `items=${one},${one.replace("@1", "@2")}&at=step&step=x`],
    ["an unknown moment", (one: string) => `items=${one},${one.replace("@1", "@2")}&at=noon`],
  ] as const)("of %s is refused", async ([_what, query]) => {
    expect((await compare(query(`${model}@1`))).status).toBe(400);
  });

  it("with something that the caller may not read is refused as if it were not there", async () => {
    const other = (await cast.stranger.post("/api/v3/projects/", { name: "Mine", description: "" })).json<{
      id: string;
    }>().id;
    const own = await addVersion(server.db, other, "own");
    const ownRun = await addTrackedRun(server.db, other);
    for (const key of [`${model}@1`, run]) {
      const query = `items=${own.modelId}@1,${key}`;
      expect((await compare(query, cast.stranger)).status).toBe(404);
    }
    expect((await compare(`items=${own.modelId}@1,${ownRun}`, cast.stranger)).status).toBe(200);
    expect((await compare(`items=${model}@1,${model}@9`)).status).toBe(404);
  });
});

describe("a plot", () => {
  it("has the versions of a model", async () => {
    const plot = (await cast.viewer.get(`/api/v3/models/${model}/plot?limit=1`)).json<RunsPlot>();
    expect(plot.runs).toMatchObject([
      {
        key: `${model}@2`,
        number: 2,
        params: { depth: "4" },
        metrics: { loss: 3, odd: "NaN" },
        address: `/designer/models/${model}?version=2`,
      },
    ]);
    expect(plot.cut).toBe(true);
  });

  it("has the runs of an experiment, and the experiments of a project are listed", async () => {
    const list = (await cast.viewer.get(`/api/v3/projects/${project}/experiments`)).json<ExperimentList>();
    expect(list).toMatchObject([{ number: 0, name: "Default", runs: 3 }]);
    const plot = (await cast.viewer.get(`/api/v3/projects/${project}/experiments/0/plot`)).json<RunsPlot>();
    expect(plot.runs).toHaveLength(3);
    expect(plot.runs.find(({ key }) => key === run.replaceAll("-", ""))).toMatchObject({
      ...{ label: "calm-crow-1", status: "FINISHED", seconds: 90, params: { depth: "5" }, metrics: { loss: "NaN" } },
    });
    expect([plot.cut, plot.metric_names, plot.param_names]).toEqual([false, ["loss", "accuracy"], ["depth", "kind"]]);
  });

  it("returns one run by its id, with its metrics and its models", async () => {
    const at = `/api/v3/projects/${project}/experiments/0/runs`;
    const { runs } = (await cast.viewer.get(`/api/v3/projects/${project}/experiments/0/plot`)).json<RunsPlot>();
    const trained = runs.find(({ key }) => key !== run.replaceAll("-", ""));
    const one = (await cast.viewer.get(`${at}/${trained?.key}`)).json<TrackedRun>();
    expect(one).toMatchObject({ label: trained?.label, metrics: trained?.metrics });
    expect(one.series.map(({ name }) => name)).toContain("loss");
    expect(one.models).toMatchObject([{ model_id: model }]);
    expect((await cast.viewer.get(`${at}/${"0".repeat(32)}`)).status).toBe(404);
    expect((await cast.viewer.get(`${at}/nonsense`)).status).toBe(404);
    const elsewhere = `/api/v3/projects/${project}/experiments/7/runs/${trained?.key}`;
    expect((await cast.viewer.get(elsewhere)).status).toBe(404);
  });

  it("of an experiment that is not there, or not readable, is refused", async () => {
    expect((await cast.viewer.get(`/api/v3/projects/${project}/experiments/7/plot`)).status).toBe(404);
    expect((await cast.stranger.get(`/api/v3/projects/${project}/experiments/0/plot`)).status).toBe(404);
    expect((await cast.stranger.get(`/api/v3/projects/${project}/experiments`)).status).toBe(404);
    expect((await cast.viewer.get(`/api/v3/models/${model}/plot?limit=1001`)).status).toBe(400);
  });
});
