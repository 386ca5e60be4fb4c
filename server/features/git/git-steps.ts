import { z } from "zod";

const node = z.number().int();
const hash = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** What a processor requests from or reports to the server during a git command. */
export const GitStep = z.discriminatedUnion("step", [
  z.object({ step: z.literal("pulled"), node, commit: hash, blob: hash, code: z.string() }),
  z.object({ step: z.literal("push"), node }),
  z.object({
    step: z.literal("pushed"),
    node,
    commit: hash,
    blob: hash,
    number: z.number().int().min(0),
    code: z.string(),
  }),
]);
export type GitStep = z.infer<typeof GitStep>;

/** The fields that identify a git command. */
export const GitOrder = z.object({
  command: z.enum(["git-pull", "git-soft-pull", "git-push"]),
  repositories: z.array(z.object({ nodes: z.array(z.object({ id: node })) })),
});
