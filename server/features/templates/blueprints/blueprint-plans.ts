import type { BlueprintPlan } from "./blueprint-plan.ts";
import { learningBlueprints } from "./learning-blueprints.ts";
import { plainBlueprints } from "./plain-blueprints.ts";
import { seriesBlueprints } from "./series-blueprints.ts";
import { tableBlueprints } from "./table-blueprints.ts";

/** The blueprints that the installation ships. */
export const blueprintPlans: readonly BlueprintPlan[] = [
  ...learningBlueprints,
  ...tableBlueprints,
  ...seriesBlueprints,
  ...plainBlueprints,
];
