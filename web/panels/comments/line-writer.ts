import type { CodeLines } from "@miranda/contract/schemas/comments/last-changes.ts";

import { committedLine } from "./committed-line.ts";

export type LineCommit = CodeLines["commits"][number];

/** The commit that wrote a line of the text. Null: the line is not committed. Undefined: nobody knows. */
export function lineCommit(
  { commits, lines }: CodeLines,
  code: string,
  text: string,
  line: number,
): LineCommit | null | undefined {
  if (commits.length === 0) return undefined;
  const committed = committedLine(code.replaceAll(/\r\n?/g, "\n"), text, line);
  if (committed === undefined) return null;
  const at = lines[committed - 1];
  return typeof at === "number" ? commits[at] : undefined;
}

export function writersOf(commit: LineCommit): string {
  const others = commit.with.map(({ username }) => username).filter((name) => name !== commit.by);
  return others.length > 0 ? `${commit.name} with ${others.join(", ")}` : commit.name;
}

export const commitWords = ({ number, message }: LineCommit): string => `Commit ${number}: ${message}`;
