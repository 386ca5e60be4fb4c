import { expect, test } from "vitest";

import type { SignatureField } from "../schemas/models/versions.ts";
import { downloadSnippet, modelUri, pythonDownloadSnippet, pythonSnippet, type UsedModel } from "./model-snippets.ts";

const iris: UsedModel = {
  origin: "https://miranda.example",
  projectId: "p1",
  modelId: "m1",
  name: "iris",
  version: 3,
  alias: undefined,
  signature: null,
};

function taking(...inputs: [name: string, type: string, shape?: number[]][]): UsedModel {
  const fields = inputs.map(([name, type, shape = null]): SignatureField => ({
    ...{ name, type, shape, required: true, default: null },
  }));
  return { ...iris, signature: { inputs: fields, outputs: [], params: [] } };
}

test("code names a version, or follows an alias", () => {
  expect(modelUri(iris)).toBe("models:/iris/3");
  expect(modelUri({ ...iris, alias: "champion" })).toBe("models:/iris@champion");
  expect(pythonSnippet(iris)).toContain('mlflow.set_tracking_uri("https://miranda.example/mlflow/p1")');
});

test("a name cannot leave its quotes", () => {
  const name = 'it\'s "a\\b"\n; rm -rf $HOME';
  expect(pythonSnippet({ ...iris, name })).toContain(String.raw`load_model("models:/it's \"a\\b\"\n; rm -rf $HOME/3")`);
  expect(downloadSnippet({ ...iris, name })).toContain("-o it_s_a_b_rm_-rf_HOME-3.zip");
  expect(pythonDownloadSnippet({ ...iris, name })).toContain('open("it_s_a_b_rm_-rf_HOME-3.zip", "wb")');
  expect(pythonSnippet(taking([name, "long"]))).toContain(String.raw`    "it's \"a\\b\"\n; rm -rf $HOME": 0,`);
});

test("data has what the signature asks for", () => {
  expect(
    pythonSnippet(taking(["length", "double"], ["kind", "string"], ["size", "float"], ["n", "integer"])),
  ).toContain(
    `data = pandas.DataFrame([{
    "length": 0.0,
    "kind": "",
    "size": 0.0,
    "n": 0,
}]).astype({"size": "float32", "n": "int32"})
print(model.predict(data))`,
  );
  expect(pythonSnippet(taking(["", "double"], ["", "float"]))).toContain(
    `data = pandas.DataFrame([{
    0: 0.0,
    1: 0.0,
}]).astype({1: "float32"})`,
  );
  expect(pythonSnippet(taking(["", "tensor of float32", [-1, 4]]))).toContain(
    'data = numpy.zeros([1, 4], dtype="float32")',
  );
});

test("nothing is predicted when it is not known what the model takes", () => {
  for (const model of [
    iris,
    taking(),
    taking(["words", "array"]),
    taking(["a", "tensor of int64", [2]], ["b", "long"]),
  ])
    expect(pythonSnippet(model)).not.toMatch(/^print\(model\.predict/m);
});
