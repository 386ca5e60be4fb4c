import { z } from "zod";

import { DraftAuthor } from "../code.ts";

/** Who changed a node last. Null when nobody is known. */
export const LastChange = z.object({
  /** Null when the account is deleted. */
  by: z.string().nullable(),
  name: z.string(),
  time: z.string(),
});
export type LastChange = z.infer<typeof LastChange>;

/** Which commit wrote each line of the node's code. */
export const CodeLines = z.object({
  commits: z.array(
    z.object({
      number: z.number(),
      by: z.string().nullable(),
      name: z.string(),
      with: z.array(DraftAuthor),
      message: z.string(),
      time: z.string(),
    }),
  ),
  /** For each line the place of its commit in `commits`; null for lines that are older, or that took too long to compare. */
  lines: z.array(z.number().nullable()),
});
export type CodeLines = z.infer<typeof CodeLines>;

export const NodeChanges = z.object({ last: LastChange.nullable() });
export type NodeChanges = z.infer<typeof NodeChanges>;
