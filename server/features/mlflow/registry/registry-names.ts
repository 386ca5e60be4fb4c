import { invalid } from "../http/mlflow-error.ts";
import { checkKey } from "../http/entity-names.ts";

const nameMax = 256;
const aliasMax = 255;
const tagMax = 100_000;
const tagsMax = 1_000;
const prompt = "mlflow.prompt.is_prompt";

/** A name of a registered model, in the words of MLflow when it is none. */
export function checkModelName(name: string, parameter = "name"): string {
  if (name.trim() === "") throw invalid(`Missing value for required parameter '${parameter}'.`);
  if (/[/:]/.test(name))
    throw invalid(`Invalid model name '${name.slice(0, nameMax)}'. Names cannot contain '/' or ':'.`);
  if (name === "." || name === "..")
    throw invalid(
      `Invalid value "${name}" for parameter '${parameter}' supplied: Names may be treated as files in certain cases, and must not resolve to other names when treated as such.`,
    );
  if (name.length > nameMax) throw invalid(`'${parameter}' exceeds the maximum length of ${nameMax} characters`);
  return name;
}

export function checkVersion(version: string | number): number {
  const number = Number(version);
  if (!/^\d{1,9}$/.test(String(version))) throw invalid(`Parameter 'version' must be an integer, got '${version}'.`);
  return number;
}

export function checkAlias(alias: string): string {
  if (alias === "") throw invalid("Registered model alias name cannot be empty.");
  if (!/^[\w-]*$/.test(alias))
    throw invalid(
      `Invalid alias name: '${alias.slice(0, aliasMax)}'. Names may only contain alphanumerics, underscores (_), and dashes (-).`,
    );
  if (alias.length > aliasMax)
    throw invalid(`'Registered model alias name' exceeds the maximum length of ${aliasMax} characters`);
  return alias;
}

/** An alias that somebody may set. */
export function checkNewAlias(given: string): string {
  const alias = checkAlias(given);
  if (alias.toLowerCase() === "latest") throw invalid("'latest' alias name (case insensitive) is reserved.");
  if (/^v\d+$/i.test(alias)) throw invalid(`Version alias name '${alias}' is reserved.`);
  return alias;
}

export function checkTag(key: string, value: string): void {
  checkKey(key, "key");
  if (value.length > tagMax) throw invalid(`'value' exceeds the maximum length of ${tagMax} characters`);
  // A prompt would be listed among the models.
  if (key === prompt) throw invalid("Prompts are not supported by this registry.");
}

/** Pairs of a client as a record. The last one of a key counts. */
export function tagsOf(pairs: readonly { key: string; value: string }[] = []): Record<string, string> {
  if (pairs.length > tagsMax) throw invalid(`A call can set at most ${tagsMax} tags.`);
  for (const { key, value } of pairs) checkTag(key, value);
  return Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
}

const stages = ["None", "Staging", "Production", "Archived"];

export function checkStage(stage: string): string {
  const known = stages.find((one) => one.toLowerCase() === stage.toLowerCase());
  if (known === undefined)
    throw invalid(`Invalid Model Version stage: ${stage.slice(0, 100)}. Value must be one of ${stages.join(", ")}.`);
  return known;
}
