import { z } from "zod";

import { computePolicy as limits, storagePolicy } from "../limits.ts";
import { numberBetween, optionalText, requiredText } from "./forms.ts";
import { SecretKey } from "./secrets.ts";

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

const VolumePolicy = z.object({
  type: z.literal("volume"),
  name: requiredText("Volume name", storagePolicy.volumeNameMax).regex(
    /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/,
    "A volume name has letters, digits, dots, dashes and underscores.",
  ),
});

const S3Policy = z.object({
  type: z.literal("s3"),
  bucket: requiredText("Bucket", storagePolicy.bucketMax).regex(
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    "A bucket name has 3 to 63 lower-case letters, digits, dots and dashes.",
  ),
  prefix: optionalText("Prefix", storagePolicy.prefixMax).default(""),
  region: optionalText("Region", storagePolicy.volumeNameMax).default(""),
  endpoint: optionalText("Endpoint", storagePolicy.endpointMax)
    .regex(/^(?:https?:\/\/\S+)?$/, "An endpoint has an http or https address.")
    .default(""),
  /** Names of secrets: the keys themselves are never part of a graph. */
  access_key_secret: SecretKey.optional(),
  secret_key_secret: SecretKey.optional(),
});

/** A volume kept between sessions, or an S3 bucket. Kept in the body of a storage_policy node. */
export const StoragePolicy = z.discriminatedUnion("type", [VolumePolicy, S3Policy], "Storage must be a volume or s3.");
export type StoragePolicy = z.infer<typeof StoragePolicy>;
