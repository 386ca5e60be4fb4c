import { z } from "zod";

import { adminLists as limits } from "../../admin-limits.ts";
import { Id, numberBetween, oneOf, optionalText } from "../forms.ts";

// What projects store, and what of it can be freed.

/** In bytes. */
export const StorageOfProject = z.object({
  id: z.string(),
  name: z.string(),
  is_private: z.boolean(),
  owner: z.string().nullable(),
  /** What nodes sent, kept for later sessions. */
  results: z.number(),
  /** Files of tracked runs and models, also those in the trash. */
  artifacts: z.number(),
  /** Files that people gave to nodes. A file that several projects use counts in each. */
  files: z.number(),
  logs: z.number(),
  /** What runs showed. */
  outputs: z.number(),
  /** What ended sessions left in their folders. */
  session_files: z.number(),
  /** Files that node code stored in volumes and in the folders of workflows. It is measured every hour, as packages are. */
  volumes: z.number(),
  packages: z.number(),
  total: z.number(),
});
export type StorageOfProject = z.infer<typeof StorageOfProject>;

export const AdminStorage = z.object({
  /** The largest first. */
  projects: z.array(StorageOfProject),
  /** The page after this one; null at the end. */
  next: z.number().nullable(),
  /** Of all projects. */
  total: z.number(),
  database_bytes: z.number(),
  /** The disk of the data folder. */
  disk: z.object({ bytes: z.number(), free_bytes: z.number() }).nullable(),
});
export type AdminStorage = z.infer<typeof AdminStorage>;

export const AdminStorageQuery = z.object({
  /** Part of the name of a project or its owner. */
  query: optionalText("query", limits.queryMax).default(""),
  page: numberBetween("page", { min: 0, max: 100_000 }, "whole").default(0),
});
export type AdminStorageQuery = z.infer<typeof AdminStorageQuery>;

const freeableKinds = ["trash", "results", "logs", "session_files", "packages"] as const;
export const FreeableKind = z.enum(freeableKinds);
export type FreeableKind = z.infer<typeof FreeableKind>;

const days = numberBetween("days", { min: 0, max: 3_650 }, "whole").default(limits.freeDays);

export const FreeableQuery = z.object({ days });

/** What can be freed of a project, in bytes. Results, logs and files of sessions when they are older than that, the others whatever their age. */
export const Freeable = z.object({
  days: z.number(),
  storage: StorageOfProject,
  trash: z.number(),
  results: z.number(),
  logs: z.number(),
  session_files: z.number(),
  /** 0 while a session of the project runs. */
  packages: z.number(),
});
export type Freeable = z.infer<typeof Freeable>;

export const FreeStorageBody = z.object({ kind: oneOf("kind", freeableKinds), days });
export type FreeStorageBody = z.infer<typeof FreeStorageBody>;

export const Freed = z.object({
  kind: FreeableKind,
  /** What the project stored of this kind. */
  before: z.number(),
  after: z.number(),
});
export type Freed = z.infer<typeof Freed>;

export const StorageParams = z.object({ id: Id });
