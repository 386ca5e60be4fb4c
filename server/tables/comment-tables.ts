import type { CommentTarget } from "@miranda/contract/schemas/comments/comments.ts";
import type { Generated } from "kysely";

import type { OptionalTimestamp, Timestamp } from "./column-types.ts";

// The tables of `tables.ts` that hold comments.

export interface CommentThreadsTable {
  id: string;
  graph_id: string;
  kind: CommentTarget["kind"];
  metadata_id: number | null;
  node_name: Generated<string>;
  line: number | null;
  line_text: Generated<string>;
  anchor: Buffer | null;
  epoch: string | null;
  run_id: string | null;
  run_number: number | null;
  comments: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  resolved_at: OptionalTimestamp;
  resolved_by: string | null;
}

export interface CommentsTable {
  id: string;
  thread_id: string;
  graph_id: string;
  account_id: string | null;
  key: string;
  body: string;
  created_at: Timestamp;
  edited_at: OptionalTimestamp;
  deleted_at: OptionalTimestamp;
}

export interface CommentMentionsTable {
  comment_id: string;
  account_id: string;
  thread_id: string;
}
