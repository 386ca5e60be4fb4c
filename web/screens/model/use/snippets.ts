/** What the code of a snippet needs to know. */
export interface UsedModel {
  origin: string;
  projectId: string;
  modelId: string;
  name: string;
  version: number;
  /** The code follows it instead of the version. */
  alias: string | undefined;
}

/** How MLflow's clients name it. */
export function modelUri({ name, version, alias }: Pick<UsedModel, "name" | "version" | "alias">): string {
  return alias === undefined ? `models:/${name}/${version}` : `models:/${name}@${alias}`;
}

/** On a laptop, or anywhere else. */
export function pythonSnippet(model: UsedModel): string {
  return `# pip install mlflow
import os

import mlflow

# An access token of your account.
os.environ.setdefault("MLFLOW_TRACKING_TOKEN", "paste it here")
mlflow.set_tracking_uri("${model.origin}/mlflow/${model.projectId}")

model = mlflow.pyfunc.load_model(${pythonText(modelUri(model))})
# data: what the model was trained on, without the answers.
print(model.predict(data))
`;
}

/** The files alone, without any client. */
export function downloadSnippet({ origin, modelId, name, version }: UsedModel): string {
  const address = `${origin}/api/v3/models/${modelId}/versions/${version}/artifacts.zip`;
  return `curl -fL -H "Authorization: Bearer $MLFLOW_TRACKING_TOKEN" \\
  -o ${shellWord(`${fileName(name)}-${version}.zip`)} \\
  ${shellWord(address)}
`;
}

/** A string of Python, whatever is in it. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_");
}
