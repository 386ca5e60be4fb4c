import type { ModelSignature, SignatureField } from "../schemas/models/versions.ts";

/** What the code of a snippet needs to know. */
export interface UsedModel {
  origin: string;
  projectId: string;
  modelId: string;
  name: string;
  version: number;
  /** The code follows it instead of the version. */
  alias: string | undefined;
  /** What the model takes. Null when it does not say so. */
  signature: ModelSignature | null;
}

/** How MLflow's clients name it. */
export function modelUri({ name, version, alias }: Pick<UsedModel, "name" | "version" | "alias">): string {
  return alias === undefined ? `models:/${name}/${version}` : `models:/${name}@${alias}`;
}

/** On a laptop, or anywhere else. It runs as it is. */
export function pythonSnippet(model: UsedModel): string {
  const { imports, lines } = predictionOf(model.signature);
  return `# pip install mlflow
import os

${["import mlflow", ...imports].join("\n")}

# An access token of your account.
os.environ.setdefault("MLFLOW_TRACKING_TOKEN", "paste it here")
mlflow.set_tracking_uri("${model.origin}/mlflow/${model.projectId}")

model = mlflow.pyfunc.load_model(${pythonText(modelUri(model))})
${lines.join("\n")}
`;
}

/** The files alone, without any client. */
export function downloadSnippet(model: UsedModel): string {
  return `curl -fL -H "Authorization: Bearer $MLFLOW_TRACKING_TOKEN" \\
  -o ${shellWord(zipName(model))} \\
  ${shellWord(zipAddress(model))}
`;
}

/** The same with nothing but Python. */
export function pythonDownloadSnippet(model: UsedModel): string {
  return `import os
import shutil
import urllib.request

request = urllib.request.Request(
    ${pythonText(zipAddress(model))},
    headers={"Authorization": "Bearer " + os.environ["MLFLOW_TRACKING_TOKEN"]},
)
with urllib.request.urlopen(request) as answer, open(${pythonText(zipName(model))}, "wb") as file:
    shutil.copyfileobj(answer, file)
`;
}

interface Prediction {
  imports: string[];
  lines: string[];
}

/** Predicts one row of empty values. */
function predictionOf(signature: ModelSignature | null): Prediction {
  const inputs = signature?.inputs ?? [];
  const [first] = inputs;
  const predict = "print(model.predict(data))";
  const tensor = inputs.length === 1 ? /^tensor of (\w{1,20})$/.exec(first?.type ?? "")?.[1] : undefined;
  if (tensor !== undefined && first?.shape) {
    const sizes = first.shape.map((size) => (size < 0 ? 1 : size)).join(", ");
    return {
      imports: ["import numpy"],
      lines: ["# Your own values.", `data = numpy.zeros([${sizes}], dtype=${pythonText(tensor)})`, predict],
    };
  }
  if (inputs.length === 0 || inputs.some(({ type, shape }) => shape !== null || !(type in examples)))
    return {
      imports: [],
      lines: [
        "print(model)",
        "# What the model takes is not known here: give it what it was trained on, without the answers.",
        "# print(model.predict(data))",
      ],
    };
  return {
    imports: ["import pandas"],
    lines: ["# One row, with your own values.", ...tableLines(inputs), predict],
  };
}

/** A value of each type of MLflow, as Python writes it. */
const examples: Readonly<Record<string, string>> = {
  double: "0.0",
  float: "0.0",
  long: "0",
  integer: "0",
  boolean: "False",
  string: '""',
  binary: 'b""',
  datetime: 'pandas.Timestamp("2026-01-31")',
};

/** MLflow refuses to make these types of pandas' usual ones, which are larger. */
const smallTypes: Readonly<Record<string, string>> = { float: "float32", integer: "int32" };

function tableLines(inputs: readonly SignatureField[]): string[] {
  const hasNames = inputs.every(({ name }) => name !== "");
  const value = ({ type }: SignatureField) => examples[type] ?? "None";
  const key = (name: string, at: number) => (hasNames ? pythonText(name) : String(at));
  const small = inputs.flatMap(({ name, type }, at) => {
    const smallType = smallTypes[type];
    return smallType === undefined ? [] : [`${key(name, at)}: ${pythonText(smallType)}`];
  });
  const row = inputs.map((field, at) => `    ${key(field.name, at)}: ${value(field)},`);
  return ["data = pandas.DataFrame([{", ...row, `}])${small.length > 0 ? `.astype({${small.join(", ")}})` : ""}`];
}

function zipAddress({ origin, modelId, version }: UsedModel): string {
  return `${origin}/api/v3/models/${modelId}/versions/${version}/artifacts.zip`;
}

function zipName({ name, version }: UsedModel): string {
  return `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_")}-${version}.zip`;
}

/** A string of Python, whatever is in it. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
