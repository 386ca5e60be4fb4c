import { expect, test } from "vitest";

import { downloadSnippet, modelUri, pythonSnippet, type UsedModel } from "./snippets.ts";

const iris: UsedModel = {
  origin: "https://miranda.example",
  projectId: "p1",
  modelId: "m1",
  name: "iris",
  version: 3,
  alias: undefined,
};

test("code names a version, or follows an alias", () => {
  expect(modelUri(iris)).toBe("models:/iris/3");
  expect(modelUri({ ...iris, alias: "champion" })).toBe("models:/iris@champion");
  expect(pythonSnippet(iris)).toContain('mlflow.set_tracking_uri("https://miranda.example/mlflow/p1")');
});

test("a name cannot leave its quotes", () => {
  const name = 'it\'s "a\\b"\n; rm -rf $HOME';
  expect(pythonSnippet({ ...iris, name })).toContain(String.raw`load_model("models:/it's \"a\\b\"\n; rm -rf $HOME/3")`);
  expect(downloadSnippet({ ...iris, name })).toContain("-o it_s_a_b_rm_-rf_HOME-3.zip");
});
