import { pythonDownloadSnippet, pythonSnippet } from "@miranda/contract/call-docs/model-snippets.ts";
import type { ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hasMlflow, type MlflowVersion, mlflowVersions } from "../../../../scripts/mlflow.ts";
import { type ClientRun, runClient } from "../../../testing/services/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

// MLflow's own clients, as PyPI has them, against a project.

/** Every training takes half a minute: one client is enough to see that the second makes another version. */
const trainsTwice = (version: MlflowVersion): boolean => version === "3";

const programIn = (name: string) => ({ file: join(import.meta.dirname, name) });

function done({ code, output, errors }: ClientRun): string {
  if (code !== 0) throw new Error(`${output}\n${errors}`);
  return output;
}

describe.skipIf(!hasMlflow()).each(mlflowVersions)("the client of MLflow %s.x", { timeout: 300_000 }, (version) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  }, 60_000);
  afterAll(() => server.close());

  async function project() {
    const owner = await server.signUp();
    const { id } = (await owner.post("/api/v3/projects/", { name: "Tracking" })).json<{ id: string }>();
    return { owner, id, uri: `${server.url}/mlflow/${id}`, token: await giveToken(owner) };
  }

  it("trains, logs, registers, names and loads a model by an unmodified script", async () => {
    const { id, owner, ...tracking } = await project();
    const output = done(await runClient(version, programIn("train.py"), tracking));
    expect(output).toMatch(/run [0-9a-f]{32} version 1 predicts the same True/);
    if (trainsTwice(version))
      expect(done(await runClient(version, programIn("train.py"), tracking))).toContain("version 2 predicts the same");

    const { id: modelId } = await server.db
      .selectFrom("models")
      .select("id")
      .where("project_id", "=", id)
      .executeTakeFirstOrThrow();
    const { signature } = (await owner.get(`/api/v3/models/${modelId}/versions/1`)).json<ModelVersionDetails>();
    const shown = { ...{ origin: server.url, projectId: id, modelId, name: "iris" }, version: 1, alias: "champion" };
    const elsewhere = [
      // The code that the page of the model shows runs as it is.
      pythonSnippet({ ...shown, signature }),
      pythonDownloadSnippet({ ...shown, signature }),
      "import zipfile",
      "print(zipfile.ZipFile('iris-1.zip').namelist())",
      "names = ['sepal length (cm)', 'sepal width (cm)', 'petal length (cm)', 'petal width (cm)']",
      "print(model.predict(pandas.DataFrame([[5.1, 3.5, 1.4, 0.2], [6.7, 3.0, 5.2, 2.3]], columns=names)).tolist())",
    ];
    const printed = done(await runClient(version, { code: elsewhere.join("\n") }, tracking))
      .trim()
      .split("\n");
    expect(printed).toEqual([expect.stringMatching(/^\[\d\]$/), expect.stringContaining("'MLmodel'"), "[0, 2]"]);

    const runs = await server.db.selectFrom("tracked_runs").selectAll().where("project_id", "=", id).execute();
    expect(runs.map(({ status }) => status)).toEqual(trainsTwice(version) ? ["FINISHED", "FINISHED"] : ["FINISHED"]);
    const versions = await server.db
      .selectFrom("model_versions")
      .innerJoin("models", "models.id", "model_versions.model_id")
      .select(["number", "name", "model_versions.metrics", "params", "tracked_run_id"])
      .where("models.project_id", "=", id)
      .orderBy("number")
      .execute();
    expect(versions).toMatchObject([
      { number: 1, name: "iris", params: { max_iter: "200", rows: "112" } },
      ...(trainsTwice(version) ? [{ number: 2, name: "iris" }] : []),
    ]);
    expect(versions[0]?.metrics).toHaveProperty("test_accuracy");
    expect(versions[0]?.metrics).toHaveProperty("training_accuracy_score");
    expect(runs.map((run) => run.id)).toContain(versions[0]?.tracked_run_id);
  });

  it("does what clients do, and is refused as by MLflow's own server", async () => {
    const { id: _id, ...tracking } = await project();
    const said = JSON.parse(
      done(await runClient(version, programIn("details.py"), tracking))
        .trim()
        .split("\n")
        .at(-1) ?? "",
    );
    const refused = (code: string, words: string) => [code, expect.stringContaining(words)];
    const invalid = (words: string) => refused("INVALID_PARAMETER_VALUE", words);
    expect(said).toMatchObject({
      experiment: "details",
      taken: refused("RESOURCE_ALREADY_EXISTS", "already exists"),
      "no experiment": null,
      "changed parameter": invalid("Changing param values is not allowed."),
      "batch that changes one": invalid("Changing param values is not allowed."),
      "long key": invalid("exceeds the maximum length of 250 characters"),
      "strange key": invalid("Names may be treated as files"),
      many: 1_000,
      tags: { stage: "test" },
      search: {
        metric: ["second"],
        parameter: ["first"],
        tag: ["first"],
        attribute: ["second"],
        status: ["first", "second"],
        order: ["second", "first"],
        page: ["second"],
      },
      pages: ["second", "first"],
      "bad filter": invalid(""),
      "bad filter of models": invalid(""),
      artefacts: [
        ["empty", false, expect.toSatisfy((size: unknown) => size === null || size === 0)],
        ["notes", true, null],
        ["tables", true, null],
      ],
      below: [
        ["notes/a file.txt", 5],
        ["notes/b.json", expect.any(Number)],
      ],
      downloaded: ["empty", "notes/a file.txt", "notes/b.json", "tables/heights.csv"],
      text: "hello",
      "model taken": refused("RESOURCE_ALREADY_EXISTS", "already exists"),
      "model with a slash": invalid(""),
      "long model key": invalid("250"),
      versions: ["1", "2", "3"],
      alias: "2",
      "no alias": invalid("champion not found"),
      latest: [
        ["None", "3"],
        ["Production", "1"],
      ],
      "no version": refused("RESOURCE_DOES_NOT_EXIST", "not found"),
      models: ["tides"],
      status: "FINISHED",
      "without the deleted": ["first"],
      "no run": refused("RESOURCE_DOES_NOT_EXIST", "not found"),
      "deleted experiment": invalid("must be in the 'active' state"),
      renamed: "details, renamed",
    });
    expect(new Set(said.searched)).toEqual(new Set(["1", "2", "3"]));
    // Unlike MLflow's own database, ours keeps infinities as they are.
    expect(said.history).toEqual([
      ["nan", 0],
      ["inf", 1],
      ["-inf", 2],
      ["0.5", 3],
      ["0.25", 3],
    ]);
    expect(said.metrics).toMatchObject({
      loss: "0.25",
      "not a number": "nan",
      "too much": "inf",
      "a/b c.d-e_f": "1.0",
    });
  });

  it("sends a large file in parts", async () => {
    const { id, uri, token } = await project();
    const code = [
      "import hashlib, os, mlflow",
      "os.environ['MLFLOW_ENABLE_PROXY_MULTIPART_UPLOAD'] = 'true'",
      "os.environ['MLFLOW_MULTIPART_UPLOAD_MINIMUM_FILE_SIZE'] = '10000000'",
      "os.environ['MLFLOW_MULTIPART_UPLOAD_CHUNK_SIZE'] = '5242880'",
      "content = os.urandom(12_000_000)",
      "open('large file.bin', 'wb').write(content)",
      "with mlflow.start_run() as run:",
      "    mlflow.log_artifact('large file.bin')",
      "    mlflow.log_artifact('large file.bin', 'below/it')",
      "for path in ('large file.bin', 'below/it/large file.bin'):",
      "    got = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path=path)",
      "    print(open(got, 'rb').read() == content)",
      "print(hashlib.sha256(content).hexdigest())",
    ].join("\n");
    const [first, second, hash] = done(await runClient(version, { code }, { uri, token }))
      .trim()
      .split("\n")
      .slice(-3);
    expect([first, second]).toEqual(["True", "True"]);
    const files = await readdir(join(server.dataFolder, "artifacts", id), { recursive: true });
    // Parts were sent, and none is left.
    expect(files.filter((file) => file.startsWith("uploads"))).toEqual(["uploads"]);
    expect(files.map((file) => basename(file))).toContain(hash);
  });

  it("is refused with a wrong token, and in a project of somebody else", async () => {
    const { uri, token } = await project();
    const code = [
      "import mlflow",
      "try: mlflow.MlflowClient().search_experiments()",
      "except mlflow.exceptions.MlflowException as error: print(error.error_code, error.get_http_status_code())",
    ].join("\n");
    expect(done(await runClient(version, { code }, { uri, token: `${token}x` })).trim()).toBe("UNAUTHENTICATED 401");
    const other = await project();
    await other.owner.patch(`/api/v3/projects/${other.id}`, { visibility: "private" });
    const refused = await runClient(version, { code }, { uri: other.uri, token });
    expect(done(refused).trim()).toBe("RESOURCE_DOES_NOT_EXIST 404");
  });
});
