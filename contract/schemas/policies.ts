import { z } from "zod";

import { computePolicy as limits } from "../limits.ts";
import { storageRules } from "../storage-rules.ts";
import { numberBetween, optionalText } from "./forms.ts";

/** What a processor is given. Kept in the body of a compute_policy node. */
export const ComputePolicy = z.object({
  cpu: numberBetween("CPU", limits.cpu),
  ram_gb: numberBetween("RAM", limits.ramGb),
  gpu: numberBetween("GPU", limits.gpu, "whole"),
  image: optionalText("Image", limits.imageMax).regex(
    /^(?:[a-z0-9][a-z0-9._/:@-]*)?$/i,
    "That is not the name of an image.",
  ),
  max_minutes: numberBetween("Minutes", limits.maxMinutes, "whole"),
});
export type ComputePolicy = z.infer<typeof ComputePolicy>;

/** Text that follows a rule; the form of a policy checks the same. */
function text(field: keyof typeof storageRules) {
  return z
    .string({ error: storageRules[field]("") ?? `${field} must be text.` })
    .trim()
    .superRefine((given, context) => {
      const message = storageRules[field](given);
      if (message) context.addIssue({ code: "custom", message });
    });
}

const VolumePolicy = z.object({ type: z.literal("volume"), name: text("name") });

const S3Policy = z.object({
  type: z.literal("s3"),
  bucket: text("bucket"),
  prefix: text("prefix").default(""),
  region: text("region").default(""),
  endpoint: text("endpoint").default(""),
  /** Names of secrets: the keys themselves are never part of a graph. */
  access_key_secret: text("access_key_secret").default(""),
  secret_key_secret: text("secret_key_secret").default(""),
});

/** A volume kept between sessions, or an S3 bucket. Kept in the body of a storage_policy node. */
export const StoragePolicy = z.discriminatedUnion("type", [VolumePolicy, S3Policy], "Storage must be a volume or s3.");
export type StoragePolicy = z.infer<typeof StoragePolicy>;
