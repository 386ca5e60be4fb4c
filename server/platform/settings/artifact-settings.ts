import { z } from "zod";

import { Flag } from "./flag.ts";

export const artifactEnvironment = {
  MIRANDA_ARTIFACTS_GB: z.coerce.number().min(0.001).max(1_000_000).default(50),
  MIRANDA_BUCKET_PRIVATE: Flag.default(false),
  MIRANDA_TRASH_DAYS: z.coerce.number().int().min(1).max(36_500).default(30),
};

export interface ArtifactSettings {
  /** Of the files that training code stored in one project. */
  projectBytes: number;
  /** How long what people deleted can be restored. */
  trashDays: number;
  /** Whether buckets of projects may be at private addresses, such as this machine. */
  privateBuckets: boolean;
}

export function toArtifactSettings(value: z.infer<z.ZodObject<typeof artifactEnvironment>>): ArtifactSettings {
  return {
    projectBytes: value.MIRANDA_ARTIFACTS_GB * 1e9,
    trashDays: value.MIRANDA_TRASH_DAYS,
    privateBuckets: value.MIRANDA_BUCKET_PRIVATE,
  };
}
