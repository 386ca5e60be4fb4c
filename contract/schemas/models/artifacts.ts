import { z } from "zod";

import { Id, numberBetween } from "../forms.ts";

// The files of a version of a model, or of a run.

/**
 * `GET /api/v3/models/{modelId}/versions/{number}/artifacts?path=`, `…/artifacts/file?path=&preview=` and
 * `…/artifacts.zip?path=`. The same below `/api/v3/runs/{runId}` and
 * `/api/v3/projects/{projectId}/experiments/{number}/runs/{key}`. Paths are below the own folder of the version or run.
 */
export const ArtifactParams = z.object({
  modelId: Id,
  number: numberBetween("version", { min: 1, max: 2_147_483_647 }, "whole"),
});
export type ArtifactParams = z.infer<typeof ArtifactParams>;

export const ArtifactQuery = z.object({ path: z.string().max(1_000).default("") });
export type ArtifactQuery = z.infer<typeof ArtifactQuery>;

/**
 * `preview`: at most the first MB (of a picture, all of it up to 10 MB), with a type that a page can show: an image,
 * `text/plain`, or `application/octet-stream`. The whole size is in the header `x-miranda-bytes`.
 */
export const ArtifactFileQuery = z.object({
  path: z.string().max(1_000),
  preview: z
    .enum(["0", "1", "true", "false"])
    .default("0")
    .transform((text) => text === "1" || text === "true"),
});
export type ArtifactFileQuery = z.infer<typeof ArtifactFileQuery>;

export const ModelArtifact = z.object({
  name: z.string(),
  /** Below the version's own folder: what `path` of a further call has to be. */
  path: z.string(),
  folder: z.boolean(),
  /** Null for a folder. */
  bytes: z.number().nullable(),
});
export type ModelArtifact = z.infer<typeof ModelArtifact>;

export const ModelArtifacts = z.object({
  path: z.string(),
  /** Folders first, each in the order of names. */
  entries: z.array(ModelArtifact),
  /** Of everything below this folder. */
  bytes: z.number(),
  files: z.number(),
  /** Where the files are when they are not here, such as in a bucket of the client. */
  elsewhere: z.string().nullable(),
});
export type ModelArtifacts = z.infer<typeof ModelArtifacts>;

/** The header of a preview that has the size of the whole file. */
export const bytesHeader = "x-miranda-bytes";
