import type { Config } from "../settings/config.ts";
import type { Db } from "../database/database.ts";
import { installationQueries } from "./installation-queries.ts";

/**
 * Stores what the operator answered in advance, and takes the address that an administrator gave. PUBLIC_URL counts more
 * than that.
 */
export async function readFirstAnswers(db: Db, config: Config): Promise<Config> {
  const queries = installationQueries(db);
  const { registration, newProjects, payment, trialDays, trialCredits } = config.firstAnswers;
  const answers = {
    ...(registration && { registration }),
    ...(newProjects && { default_visibility: newProjects }),
    ...(payment && { payment }),
    ...(trialDays !== undefined && { trial_days: trialDays }),
    ...(trialCredits !== undefined && { trial_credits: trialCredits }),
  };
  if (Object.keys(answers).length > 0) await queries.answer(answers);
  const { public_url } = await queries.read();
  return { ...config, publicUrl: config.publicUrl ?? public_url ?? undefined };
}
