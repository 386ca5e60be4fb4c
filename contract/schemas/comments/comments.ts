import { z } from "zod";

import { comment as limits } from "../../limits.ts";
import { exactText, Id, MetadataId, numberBetween, oneOf, requiredText, yesOrNo } from "../forms.ts";

// What people say about a workflow: threads that are pinned to a node, a line of its code or a run.

export const CommentPerson = z.object({
  id: z.string(),
  username: z.string(),
  name: z.string(),
  avatar: z.string().nullable(),
});
export type CommentPerson = z.infer<typeof CommentPerson>;

/** What a thread is pinned to. It may be gone: the thread stays. */
export const CommentTarget = z.object({
  kind: z.enum(["node", "line", "run"]),
  /** Of a node or a line. */
  metadata_id: z.number().nullable(),
  /** Its name now, or its last name when it is deleted. */
  node_name: z.string(),
  node_deleted: z.boolean(),
  /** The line and its text when the thread was made. */
  line: z.number().nullable(),
  line_text: z.string(),
  /** An encoded Yjs relative position, as base64, in the document that `epoch` names. It moves with edits. */
  anchor: z.string().nullable(),
  epoch: z.string().nullable(),
  /** Null when the run is deleted. */
  run_id: z.string().nullable(),
  run_number: z.number().nullable(),
});
export type CommentTarget = z.infer<typeof CommentTarget>;

export const Comment = z.object({
  id: z.string(),
  thread_id: z.string(),
  /** Null when the account is deleted. */
  author: CommentPerson.nullable(),
  /** Markdown. Empty when the comment is deleted. */
  body: z.string(),
  /** The usernames in it of people who were told. */
  mentions: z.array(z.string()),
  time_created: z.string(),
  time_edited: z.string().nullable(),
  deleted: z.boolean(),
});
export type Comment = z.infer<typeof Comment>;

export const CommentThread = z.object({
  id: z.string(),
  graph_id: z.string(),
  project_id: z.string(),
  target: CommentTarget,
  first: Comment,
  /** Without deleted ones. */
  comments: z.number(),
  time_created: z.string(),
  last_time: z.string(),
  resolved: z.object({ by: z.string().nullable(), time: z.string() }).nullable(),
  /** Whether the caller may reply, resolve and reopen. */
  may_comment: z.boolean(),
  /** Whether the caller may delete comments of others. */
  may_remove: z.boolean(),
});
export type CommentThread = z.infer<typeof CommentThread>;

/** The response to a sent comment. `not_notified`: usernames in it of people who cannot read the workflow, or do not exist. */
export const SentComment = z.object({ comment: Comment, not_notified: z.array(z.string()) });
export type SentComment = z.infer<typeof SentComment>;

export const CommentThreadPage = z.object({
  threads: z.array(CommentThread),
  /** The `after` of the next page; null at the end. */
  next: z.string().nullable(),
  may_comment: z.boolean(),
});
export type CommentThreadPage = z.infer<typeof CommentThreadPage>;

/** Oldest first. */
export const CommentPage = z.object({ comments: z.array(Comment), next: z.string().nullable() });
export type CommentPage = z.infer<typeof CommentPage>;

const page = {
  limit: numberBetween("limit", { min: 1, max: limits.pageMax }, "whole").default(limits.page),
  after: Id.optional(),
};

/** Newest threads first. */
export const CommentThreadsQuery = z.object({
  ...page,
  state: oneOf("state", ["open", "resolved", "all"]).default("open"),
  /** `mine`: threads that the caller wrote in. `mentions`: threads that mention the caller. */
  of: oneOf("of", ["all", "mine", "mentions"]).default("all"),
  node: MetadataId.optional(),
  run: Id.optional(),
});
export type CommentThreadsQuery = z.infer<typeof CommentThreadsQuery>;

export const CommentsQuery = z.object(page);
export type CommentsQuery = z.infer<typeof CommentsQuery>;

/** How many open threads there are in all, and at each node. */
export const CommentMarks = z.object({
  open: z.number(),
  may_comment: z.boolean(),
  nodes: z.array(z.object({ metadata_id: z.number(), open: z.number() })),
});
export type CommentMarks = z.infer<typeof CommentMarks>;

const text = {
  body: requiredText("The comment", limits.textMax),
  /** Sending the same key again gives the comment that the first call made. */
  key: Id,
};

export const ReplyBody = z.object(text);
export type ReplyBody = z.infer<typeof ReplyBody>;

export const EditCommentBody = z.object({ body: text.body });
export type EditCommentBody = z.infer<typeof EditCommentBody>;

const onePlace = "Say either which node or which run the comment is about.";

/** A new thread at a node, at a line of its code, or at a run. */
export const NewThreadBody = z
  .object({
    ...text,
    metadata_id: MetadataId.optional(),
    line: numberBetween("line", { min: 1, max: limits.lineMax }, "whole").optional(),
    line_text: exactText("line_text", limits.lineTextMax).optional(),
    anchor: z.base64("That is not an anchor.").max(limits.anchorMax, "That is not an anchor.").optional(),
    epoch: Id.optional(),
    run_id: Id.optional(),
  })
  .refine(({ metadata_id, run_id }) => (metadata_id === undefined) !== (run_id === undefined), onePlace)
  .refine(({ line, metadata_id }) => line === undefined || metadata_id !== undefined, onePlace)
  .refine(({ anchor, epoch, line }) => (anchor === undefined) === (epoch === undefined) && (!anchor || line), {
    message: "An anchor needs a line and an epoch.",
  });
export type NewThreadBody = z.infer<typeof NewThreadBody>;

export const ResolveBody = z.object({ resolved: yesOrNo("resolved") });
export type ResolveBody = z.infer<typeof ResolveBody>;

export const MentionQuery = z.object({ query: exactText("query", limits.queryMax).default("") });
export type MentionQuery = z.infer<typeof MentionQuery>;

export const MentionList = z.array(CommentPerson);
export type MentionList = z.infer<typeof MentionList>;

/** Something about the comments of a workflow changed: fetch them again. */
export const CommentsEvent = z.object({
  graph_id: z.string(),
  thread_id: z.string(),
  metadata_id: z.number().nullable(),
  run_id: z.string().nullable(),
});
export type CommentsEvent = z.infer<typeof CommentsEvent>;
