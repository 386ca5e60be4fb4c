import { mentionsIn } from "@miranda/contract/mentions.ts";
import type { CommentTarget } from "@miranda/contract/schemas/comments/comments.ts";

import type { NewCommentTarget } from "../../api/comments/comments.ts";

/** Where a thread is, in a few words. */
export function targetWords(target: CommentTarget | NewCommentTarget): string {
  if (target.kind === "run") return `Run ${("number" in target ? target.number : target.run_number) ?? ""}`.trim();
  const name = "name" in target ? target.name : target.node_name;
  return target.kind === "line" ? `${name}, line ${target.line ?? "?"}` : name;
}

/** In which line of the code a thread is now. Undefined: nobody knows. */
export type LineNow = (target: CommentTarget) => number | "gone" | undefined;

/** The target with the line that it has now. */
export function targetNow(target: CommentTarget, lineNow: LineNow | undefined): CommentTarget {
  const line = target.kind === "line" ? lineNow?.(target) : undefined;
  return typeof line === "number" ? { ...target, line } : target;
}

/** What became of it. */
export function goneWords(target: CommentTarget, lineNow: LineNow | undefined): string | undefined {
  if (target.kind === "run") return target.run_id === null ? "This run was deleted." : undefined;
  if (target.node_deleted) return "This node was deleted.";
  return target.kind === "line" && lineNow?.(target) === "gone" ? "This line was deleted or rewritten." : undefined;
}

/** One key for each target at which a text can be written. */
export function targetKey(target: NewCommentTarget): string {
  if (target.kind === "run") return `run ${target.run_id}`;
  return target.kind === "line" ? `line ${target.metadata_id}` : `node ${target.metadata_id}`;
}

export const repliesWords = (comments: number): string | undefined =>
  comments > 1 ? countedReplies(comments - 1) : undefined;

const countedReplies = (count: number): string => (count === 1 ? "1 reply" : `${count.toLocaleString("en")} replies`);

export function notNotifiedWords(names: readonly string[]): string {
  const all = names.map((name) => `@${name}`).join(", ");
  return `${all} cannot read this workflow and ${names.length === 1 ? "was" : "were"} not told.`;
}

/** The text with the people in bold who were told. */
export function withMentions(body: string, told: readonly string[]): string {
  const known = new Set(told.map((name) => name.toLowerCase()));
  let done = "";
  let copied = 0;
  for (const { from, to, username } of mentionsIn(body)) {
    if (!known.has(username.toLowerCase())) continue;
    done += `${body.slice(copied, from)}**${body.slice(from, to)}**`;
    copied = to;
  }
  return done + body.slice(copied);
}
