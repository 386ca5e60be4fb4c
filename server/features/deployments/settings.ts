import { deployment as limits } from "@miranda/contract/limits.ts";
import type { DeploymentAccess, DeploymentPatch } from "@miranda/contract/schemas/deployments/deployments.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { DeploymentChange } from "./deployments-queries.ts";

/** Settings that editors may change. The other settings decide who may use the deployment and what it costs. */
const described: readonly (keyof DeploymentPatch)[] = ["title", "description", "tags"];

export function needsManager(patch: DeploymentPatch): boolean {
  return Object.entries(patch).some(
    ([name, value]) => value !== undefined && !described.some((setting) => setting === name),
  );
}

/** What the settings were before. */
export interface EarlierSettings {
  access: DeploymentAccess;
  day_budget: number | null;
  at_once: number;
  warm: number;
}

/** The columns of a patch. People are in a table of their own. */
export function columnsOf(
  { people: _people, take_over: _takeOver, compute, tags, ...given }: DeploymentPatch,
  before: EarlierSettings,
): DeploymentChange {
  const { at_once = before.at_once, warm = before.warm, access = before.access, day_budget } = given;
  if (warm > at_once) throw new AppError("bad_request", "There cannot be more warm processors than calls at once.");
  const opens = access === "link" && before.access !== "link";
  return {
    ...withoutUndefined(given),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
    ...(compute !== undefined && { compute: compute === null ? null : JSON.stringify(compute) }),
    // Anybody can have the link. Its owner may say that there is no limit, but has to say so.
    ...(opens && day_budget === undefined && before.day_budget === null && { day_budget: limits.linkDayBudget }),
  };
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  // The filter takes away exactly what the type takes away.
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
