import type { Payment, Registration } from "@miranda/contract/schemas/admin.ts";
import type { Visibility } from "@miranda/contract/schemas/projects.ts";
import { administration } from "@miranda/contract/admin-limits.ts";
import { z } from "zod";

/** What administrators are asked at the first start. Whoever answers it here is asked for the rest. */
export const firstAnswersEnvironment = {
  MIRANDA_REGISTRATION: z.enum(["open", "invitation"]).optional(),
  MIRANDA_NEW_PROJECTS: z.enum(["members", "accounts"]).optional(),
  MIRANDA_PAYMENT: z.enum(["credits", "free"]).optional(),
  MIRANDA_TRIAL_DAYS: z.coerce.number().int().min(1).max(administration.trialDaysMax).optional(),
  MIRANDA_TRIAL_CREDITS: z.coerce.number().min(0).max(administration.trialCreditsMax).optional(),
};

const Environment = z.object(firstAnswersEnvironment);

export interface FirstAnswers {
  registration?: Registration | undefined;
  newProjects?: Visibility | undefined;
  payment?: Payment | undefined;
  trialDays?: number | undefined;
  trialCredits?: number | undefined;
}

export function toFirstAnswers(value: z.infer<typeof Environment>): FirstAnswers {
  const { MIRANDA_NEW_PROJECTS: seenBy } = value;
  return {
    registration: value.MIRANDA_REGISTRATION,
    newProjects: seenBy && (seenBy === "accounts" ? "public" : "private"),
    payment: value.MIRANDA_PAYMENT,
    trialDays: value.MIRANDA_TRIAL_DAYS,
    trialCredits: value.MIRANDA_TRIAL_CREDITS,
  };
}
