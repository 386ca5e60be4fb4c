import { z } from "zod";

import { bucketKeys as limits } from "../../limits.ts";
import { storageRules } from "../../storage-rules.ts";

// Where a project stores the files of its runs and models: `/api/v3/projects/{projectId}/artifact_bucket`.

function text(field: "bucket" | "prefix" | "region" | "endpoint") {
  return z
    .string({ error: storageRules[field]("") ?? `${field} must be text.` })
    .trim()
    .superRefine((given, context) => {
      const message = storageRules[field](given);
      if (message) context.addIssue({ code: "custom", message });
    });
}

const key = (label: string) =>
  z
    .string(`${label} is required.`)
    .trim()
    .max(limits.max, `${label} can have at most ${limits.max} characters.`)
    .regex(/^[\x21-\x7e]*$/, `${label} has letters, digits and signs, without spaces.`);

/** The bucket is tried before anything is saved. */
export const PutArtifactBucketBody = z.object({
  /** Empty for Amazon S3. */
  endpoint: text("endpoint").default(""),
  region: text("region").default(""),
  bucket: text("bucket"),
  prefix: text("prefix").default(""),
  access_key: key("Access key").min(1, "Access key is required."),
  /** Empty: it stays as it is. */
  secret_key: key("Secret key").default(""),
});
export type PutArtifactBucketBody = z.infer<typeof PutArtifactBucketBody>;

const Stored = z.object({ files: z.number(), bytes: z.number() });

export const ArtifactBucket = z.object({
  /** Where new files go. Null: to the server's disk. The secret key is in no answer. */
  current: z
    .object({
      endpoint: z.string(),
      region: z.string(),
      bucket: z.string(),
      prefix: z.string(),
      access_key: z.string(),
      time_created: z.string(),
    })
    .nullable(),
  /** What the project stores in this bucket, in buckets that it used before, and on the server's disk. */
  in_bucket: Stored,
  in_others: Stored,
  on_disk: Stored,
});
export type ArtifactBucket = z.infer<typeof ArtifactBucket>;
