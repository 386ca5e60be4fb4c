import { trial as limits } from "@miranda/contract/limits.ts";
import type { InstallationSettings } from "@miranda/contract/schemas/admin.ts";
import type { Warning } from "@miranda/contract/schemas/settings.ts";

import type { Db } from "../database/database.ts";
import { AppError } from "../errors/app-error.ts";
import { installationQueries } from "./installation-queries.ts";

/** Administrators learn of trials so many days before they end. */
const seenBefore = 3;
const named = 5;

/** What a new account has: credits, and until when. */
export function trialOf({ trial_days, trial_credits }: Pick<InstallationSettings, "trial_days" | "trial_credits">) {
  return { trial_end: new Date(Date.now() + trial_days * limits.dayLength), credits: trial_credits };
}

/** Whoever cannot run any more must know whom to ask. */
export async function trialEnded(db: Db): Promise<AppError> {
  const admins = await installationQueries(db).administrators(3);
  const names = admins.map(({ name, email }) => `${name} (${email})`);
  const words = new AppError("trial_ended").message;
  return new AppError("trial_ended", names.length === 0 ? words : `${words} Ask ${names.join(" or ")} to go on.`);
}

/** The trials that end soon, for administrators. */
export async function trialWarnings(db: Db): Promise<Warning[]> {
  const ending = await installationQueries(db).endingTrials(seenBefore);
  const [first] = ending;
  if (!first) return [];
  const more = ending.length > named ? ` and ${ending.length - named} more` : "";
  const names = ending.slice(0, named).map(({ username }) => username);
  const words = ending.length === 1 ? "1 trial ends" : `${ending.length} trials end`;
  return [
    {
      // Whoever dismissed it sees the next one.
      code: `trials-${ending.at(-1)?.trial_end.toISOString().slice(0, 10)}-${ending.length}`,
      message: `${words} within ${seenBefore} days: ${names.join(", ")}${more}. Their page under Administration, People gives them more time.`,
    },
  ];
}
