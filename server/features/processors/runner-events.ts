import { z } from "zod";

// What an agent posts. It is trusted with its own job only, so everything it says is checked like anybody's word.

const line = z.number().int().min(0).max(1e9);
const node = z.number().int().nullable();
const number = z.number().int().min(0);
const text = z.string();
const answer = z.string().nullable().default(null);

export const RunnerEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("log"),
    tag: z.number().int().min(0).max(4),
    at: z.number(),
    text,
    node: node.default(null),
  }),
  z.object({ kind: z.literal("partial"), tag: z.number().int().min(0).max(4), text: text.max(20_000) }),
  z.object({
    kind: z.literal("state"),
    state: z.enum(["READY", "RUNNING", "RESUMEREADY", "ERROR", "EXITED"]),
    reason: text.max(10_000).nullable().default(null),
    command: number,
  }),
  z.object({
    kind: z.literal("usage"),
    sample: number,
    seconds: z.number().min(0).max(1e6),
    cpu_seconds: z.number().min(0).max(1e8),
    ram_gb: z.number().min(0).max(1e5),
  }),
  z.object({
    kind: z.literal("break"),
    node,
    line,
    function: text.default(""),
    reason: text.default("breakpoint"),
    locals: z.record(z.string(), z.unknown()),
  }),
  z.object({ kind: z.literal("exception"), node, line, function: text, traceback: text }),
  z.object({
    kind: z.literal("progress"),
    running: node,
    statuses: z.record(z.string(), z.string().max(40)),
    run: number.default(0),
    /** Seconds and how often, of those that have just ended. */
    times: z.record(z.string(), z.tuple([z.number().min(0).max(1e9), number])).default({}),
  }),
  z.object({
    kind: z.literal("output"),
    node,
    run: number,
    number,
    data: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
  }),
  z.object({
    kind: z.literal("model"),
    node,
    run: number,
    name: text.min(1).max(200),
    metrics: z.record(z.string(), z.number().nullable()),
    hardware: z.array(text.max(100)).max(20),
    authors: z.array(text.max(200)).max(50).nullable(),
    artifact: text.max(4_000).nullish(),
  }),
  z.object({ kind: z.literal("ask_password"), question: number, prompt: text.max(2_000), node: node.optional() }),
  z.object({ kind: z.literal("withdraw"), question: number }),
  z.object({ kind: z.literal("early"), command: z.literal("run-setup"), number }),
  z.looseObject({ kind: z.literal("done"), command: text.max(40), number, error: answer }),
]);
export type RunnerEvent = z.infer<typeof RunnerEvent>;

export const RunnerEvents = z.object({ first: z.number().int().min(1), events: z.array(RunnerEvent).max(100_000) });
export type RunnerEvents = z.infer<typeof RunnerEvents>;

export const SecretQuestion = z.object({
  key: z.string().max(200).optional(),
  question: z.number().int().optional(),
  /** The git command that needs it. */
  command: number.optional(),
});
export type SecretQuestion = z.infer<typeof SecretQuestion>;

export const Heartbeat = z.object({
  after: z.coerce.number().int().min(0).default(0),
  wait: z.coerce.number().min(0).max(300).default(10),
});
export type Heartbeat = z.infer<typeof Heartbeat>;
