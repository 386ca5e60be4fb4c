import { z } from "zod";

export const runEnvironment = {
  MIRANDA_RUN_DAYS: z.coerce.number().int().min(1).max(1_000_000).default(90),
  MIRANDA_RUN_OUTPUTS_GB: z.coerce.number().min(0.001).max(1_000_000).default(2),
};

export interface RunSettings {
  /** How long ended runs are kept. */
  days: number;
  /** How much the outputs of a project's ended runs may take. */
  outputBytes: number;
}

export function toRunSettings(value: z.infer<z.ZodObject<typeof runEnvironment>>): RunSettings {
  return { days: value.MIRANDA_RUN_DAYS, outputBytes: value.MIRANDA_RUN_OUTPUTS_GB * 1e9 };
}
