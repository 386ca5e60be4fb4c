import { invalid } from "./mlflow-error.ts";

/** As MLflow's own server has them. */
export const entityLimits = {
  key: 250,
  paramValue: 6_000,
  tagValue: 8_000,
  experimentName: 500,
  runName: 250,
} as const;

const allowed = /^[/\p{L}\p{N}_.\- :]*$/u;

/** A key of a metric, a parameter or a tag. `path` says where it was sent. */
export function checkKey(key: string, path: string): void {
  if (key === "") throw invalid(`Missing value for required parameter '${path}'.`);
  if (key.length > entityLimits.key)
    throw invalid(`'${path}' exceeds the maximum length of ${entityLimits.key} characters`);
  const shown = JSON.stringify(key);
  if (!allowed.test(key))
    throw invalid(
      `Invalid value ${shown} for parameter '${path}' supplied: Names may only contain alphanumerics, underscores (_), dashes (-), periods (.), spaces ( ), colon(:) and slashes (/).`,
    );
  const normal = normalOf(key);
  if (normal !== key || key === ".")
    throw invalid(
      `Invalid value ${shown} for parameter '${path}' supplied: Names may be treated as files in certain cases, and must not resolve to other names when treated as such. This name would resolve to '${normal}'`,
    );
}

/** As a path: without empty parts, dots, and steps upwards. */
function normalOf(key: string): string {
  const parts = key.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") ? parts.filter((part) => part !== "..").join("/") : parts.join("/") || ".";
}

/** MLflow cuts long values off instead of refusing them. */
export function cut(value: string, most: number): string {
  return value.length <= most ? value : value.slice(0, most).toWellFormed();
}
