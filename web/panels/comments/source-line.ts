import { comment as limits } from "@miranda/contract/limits.ts";
import type { CommentTarget } from "@miranda/contract/schemas/comments/comments.ts";

/** All lines with the text of a thread's line. */
export function linesByText({ line_text }: CommentTarget, source: string): number[] {
  const wanted = line_text.trim();
  return source.split("\n").flatMap((one, at) => (one.slice(0, limits.lineTextMax).trim() === wanted ? [at + 1] : []));
}

/** The nearest line with the text of a thread's line. */
export function lineByText(target: CommentTarget, source: string): number | undefined {
  const from = target.line ?? 1;
  return linesByText(target, source).toSorted((one, other) => Math.abs(one - from) - Math.abs(other - from))[0];
}

/** Whether the committed code no longer has the line of a thread. */
export function isSourceLineGone(target: CommentTarget, source: string | undefined): boolean {
  if (target.kind !== "line" || source === undefined) return false;
  return lineByText(target, source.replaceAll(/\r\n?/g, "\n")) === undefined;
}
