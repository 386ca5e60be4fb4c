import { z } from "zod";

import { commit as limits, node } from "../limits.ts";
import { NodeApi } from "./attributes.ts";
import { exactText, Id, MetadataId, numberBetween, optionalText } from "./forms.ts";

/** Who committed. Null when the account is gone. */
export const CommitAuthor = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  avatar: z.string().nullable(),
});
export type CommitAuthor = z.infer<typeof CommitAuthor>;

export const DraftAuthor = z.object({ username: z.string(), first_name: z.string() });
export type DraftAuthor = z.infer<typeof DraftAuthor>;

export const CommitSummary = z.object({
  id: z.string(),
  metadata_id: z.number(),
  /** Counts the commits of one node from 1. */
  number: z.number(),
  author: CommitAuthor.nullable(),
  /** The others who wrote parts of it. */
  with: z.array(DraftAuthor),
  message: z.string(),
  time_created: z.string(),
  /** The number of the commit whose code this one brought back. */
  restored: z.number().nullable(),
});
export type CommitSummary = z.infer<typeof CommitSummary>;

export const Commit = CommitSummary.extend({
  source_code: z.string(),
  api: NodeApi,
  /** The code of the commit before; null for the first one. */
  previous_code: z.string().nullable(),
  previous_id: z.string().nullable(),
});
export type Commit = z.infer<typeof Commit>;

export const CommitPage = z.object({
  commits: z.array(CommitSummary),
  /** Ask for the commits before this number to get the next page; null at the end. */
  next: z.number().nullable(),
});
export type CommitPage = z.infer<typeof CommitPage>;

export const CommitListQuery = z.object({
  limit: numberBetween("limit", { min: 1, max: limits.pageMax }, "whole").default(limits.page),
  before: numberBetween("before", { min: 1, max: 2_147_483_647 }, "whole").optional(),
});
export type CommitListQuery = z.infer<typeof CommitListQuery>;

export const CommitParams = z.object({ id: MetadataId, commitId: Id });
export type CommitParams = z.infer<typeof CommitParams>;

/** Without code: commits the unsaved code, or the node's present code when there is none. */
export const CommitBody = z.object({
  message: optionalText("Message", limits.messageMax).default(""),
  source_code: exactText("Code", node.sourceCodeMax).optional(),
});
export type CommitBody = z.infer<typeof CommitBody>;

export const CommitResponse = CommitSummary.extend({ revision: z.number() });
export type CommitResponse = z.infer<typeof CommitResponse>;

/** Adds a package to a node's code. It is committed too, unless the node has unsaved code. */
export const AddPackageBody = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:\[[A-Za-z0-9,._-]{1,50}\])?$/, "That is not the name of a package."),
});
export type AddPackageBody = z.infer<typeof AddPackageBody>;

export const AddPackageResponse = z.object({ committed: z.boolean() });
export type AddPackageResponse = z.infer<typeof AddPackageResponse>;

/** Code that nobody has committed yet. */
export const Draft = z.object({
  metadata_id: z.number(),
  unsaved: z.boolean(),
  /** The username of the person who changed it last. */
  by: z.string().nullable(),
  /** Everybody who changed it since it was last committed. Empty when their accounts are gone. */
  authors: z.array(DraftAuthor),
  time: z.string(),
  /** The node's code changed since it was begun, for example by a merge. It cannot be committed until somebody decides. */
  outdated: z.boolean(),
});
export type Draft = z.infer<typeof Draft>;

export const DraftEvent = Draft.extend({ graph_id: z.string() });
export type DraftEvent = z.infer<typeof DraftEvent>;

/** Unsaved code beside the stored code. */
export const DraftComparison = z.object({
  outdated: z.boolean(),
  /** The code that the draft started from. */
  base: z.string(),
  stored: z.string(),
  draft: z.string(),
  /** Both put together. Where both changed the same lines, both are there between markers. */
  together: z.string(),
  /** How many such places there are. */
  conflicts: z.number(),
});
export type DraftComparison = z.infer<typeof DraftComparison>;

/** The stored code that the person saw. Refused when it is another one now. */
export const KeepDraftBody = z.object({ source_code: exactText("Code", node.sourceCodeMax) });
export type KeepDraftBody = z.infer<typeof KeepDraftBody>;

/** A change of a shared document that is too large for the socket. */
export const DraftUpdateBody = z.object({ epoch: Id, update: z.base64("The update must be base64.") });
export type DraftUpdateBody = z.infer<typeof DraftUpdateBody>;

export const CheckBody = z.object({ source_code: exactText("Code", node.sourceCodeMax) });
export type CheckBody = z.infer<typeof CheckBody>;

/** How wide one step of the indentation is; 0 for a tab. */
export const FormatBody = CheckBody.extend({
  indent: numberBetween("indent", { min: 0, max: 8 }, "whole").default(4),
});
export type FormatBody = z.infer<typeof FormatBody>;

export const FormatResponse = z.object({ source_code: z.string() });
export type FormatResponse = z.infer<typeof FormatResponse>;

/** What code declares, read without running it. */
export const CheckResponse = NodeApi.extend({ error_line: z.number().nullable() });
export type CheckResponse = z.infer<typeof CheckResponse>;

/** The answer to code_open: everything that the client lacks, and the server's state. */
export interface CodeDocumentEvent {
  metadata_id: number;
  /** A recreated document has a new epoch: text typed into the old one cannot be merged into it. */
  epoch: string;
  /** A Yjs update. */
  update: Uint8Array;
  /** The server's Yjs state vector. */
  vector: Uint8Array;
}

export interface CodeUpdateEvent {
  metadata_id: number;
  update: Uint8Array;
}

/** The node of an open document was deleted. */
export interface CodeGoneEvent {
  metadata_id: number;
  by: string;
}
