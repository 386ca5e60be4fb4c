import { z } from "zod";

import { debugging, outputFile } from "../limits.ts";

// The messages that the worker may send to its agent. Node code can write to the same pipe, so this list is everything
// that hostile code can send: nothing about money, states or files outside the session's folder.
// `runtime/miranda_agent/protocol.py` is the same list in Python, and `messages.json` keeps the two alike.

/** The largest body of a frame in bytes, by kind. A longer one ends the session. */
export const frameMax = { event: 16 << 20, output: 1 << 20, record: 11 << 20, node: 8 } as const;

/** The most nodes in one message. */
const nodesMax = 50_000;

/** The most progress bars of one node, and the most nodes with bars in one message. */
const barsMax = { perNode: 8, nodes: 1_000 } as const;

/** How deep JSON from node code may be nested. */
export const deepestJson = 200;

const nodeStatuses = ["waiting", "running", "done", "error", "stopped", "idle"] as const;
const NodeStatus = z.enum(nodeStatuses);
export type NodeStatus = z.infer<typeof NodeStatus>;

/** The most of each in one run, and in one message. What is beyond it is left out by the worker. */
export const runMax = {
  /** Times at which a node fired: the first ones, and the last one. */
  spans: 40,
  /** Frames of an exception, and bytes of JSON of all their variables. */
  frames: 30,
  frameBytes: 256 << 10,
  /** Points of metrics in one message, and the length of a metric's name. */
  points: 5_000,
  metricName: 200,
  /** Keys that are asked for at once. */
  keys: 50_000,
  /** Characters of JSON of what one result depends on. */
  readsLength: 200_000,
} as const;

const whole = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
// The largest number that the database stores in four bytes. A larger one would fail to be stored, with everything
// after it.
const count = whole.max(2_147_483_647);
const byNode = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string().regex(/^\d{1,15}$/), value).refine((given) => Object.keys(given).length <= nodesMax);
const node = whole.nullable();
const line = z.number().int().min(0).max(1e9);
const text = z.string();
const anything = z.record(z.string(), z.unknown());
const question = whole;

/** Names a result: a SHA-256 of everything that it was made from. */
export const ResultKey = text.regex(/^[0-9a-f]{64}$/);

/** One frame of a stopped program's stack. A library's frame has a file instead of a node. */
const stackFrame = z.object({ node, line, function: text.max(1_000), file: text.max(1_000).default("") });

/**
 * Where a tree of values is shortened, and the reference by which the rest can be fetched while the program is stopped.
 */
const cuts = z
  .array(
    z.object({
      path: z.array(z.union([text.max(3_000), whole])).max(50),
      size: whole,
      /** How many of them the tree shows. */
      shown: whole.default(0),
      reference: whole,
      /** A long text, which is counted in characters. */
      text: z.boolean().default(false),
    }),
  )
  .max(debugging.cutsMax)
  .default([]);

export const BreakMessage = z.object({
  kind: z.literal("break"),
  node,
  line,
  function: text.max(1_000).default(""),
  reason: text.max(100).default("breakpoint"),
  locals: anything,
  /** Why it stopped, when that needs an explanation: an exception, or a condition that raised one. */
  note: text.max(5_000).nullable().default(null),
  stack: z.array(stackFrame).max(debugging.framesMax).default([]),
  cuts,
});

/**
 * One frame of an exception, with its variables as the debugger shows them. The innermost comes first. `cause`: the
 * class of an earlier exception that led to it, whose frame this is.
 */
const ExceptionFrame = stackFrame.extend({
  locals: anything.default({}),
  cuts,
  cause: text.max(1_000).default(""),
});
export type ExceptionFrame = z.infer<typeof ExceptionFrame>;

export const ExceptionMessage = z.object({
  kind: z.literal("exception"),
  node,
  line,
  function: text.max(1_000),
  traceback: text.max(1_000_000),
  /** Left out for an exception outside a run. Values of secrets and passwords are masked. */
  frames: z.array(ExceptionFrame).max(runMax.frames).default([]),
});

const amount = z.number().min(0).max(1e15);
const moment = z.number().min(0).max(1e9);

/** The progress of something that a node does. Without a total it is unknown how much is left. */
export const ProgressBar = z.object({ label: text.max(100), done: amount, total: amount.nullable() });
export type ProgressBar = z.infer<typeof ProgressBar>;

export const ProgressMessage = z.object({
  kind: z.literal("progress"),
  running: node,
  statuses: byNode(NodeStatus),
  run: count.default(0),
  /** Seconds and number of runs, of the nodes that have just ended. */
  times: byNode(z.tuple([z.number().min(0).max(1e9), count])).default({}),
  /**
   * When nodes that have just ended were ready, began and ended, in seconds since the run began. All spans of this run
   * of each such node.
   */
  spans: byNode(z.array(z.tuple([moment, moment, moment])).max(runMax.spans)).default({}),
  /** What their generators of random numbers began with. Missing: new numbers in every run. */
  seeds: byNode(whole).default({}),
  /** All current bars of each node whose bars have changed. */
  bars: byNode(z.array(ProgressBar).max(barsMax.perNode))
    .refine((given) => Object.keys(given).length <= barsMax.nodes)
    .default({}),
});

/** What will become of a node in a run, and why. */
const PlannedNode = z.object({
  node: whole,
  run: z.boolean(),
  reason: text.max(10_000),
  /** The key of the kept result that is used instead. */
  result: ResultKey.nullable().default(null),
});

/** Which nodes a run runs. Sent once, before the first of them. */
export const PlannedMessage = z.object({
  kind: z.literal("planned"),
  run: count,
  nodes: z.array(PlannedNode).max(nodesMax),
  python: text.max(50).default(""),
});

const finite = z.number().min(-1e300).max(1e300);

/** Points of metrics: name, step, value, and seconds since the run began. A value of null is a gap in the line. */
export const MetricsMessage = z.object({
  kind: z.literal("metrics"),
  node,
  run: count,
  points: z.array(z.tuple([text.min(1).max(runMax.metricName), finite, finite.nullable(), moment])).max(runMax.points),
});

/** A file for people to download. Its content is in base64. */
const OutputFile = z.object({
  name: text.min(1).max(200),
  type: text.regex(/^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,126}$/),
  content: text.max(outputFile.base64Max),
});

export const OutputMessage = z.object({
  kind: z.literal("output"),
  node,
  run: count,
  number: count,
  data: anything,
  metadata: anything,
  /** An output with the number and id of an earlier one replaces it. */
  id: text.min(1).max(200).optional(),
  file: OutputFile.optional(),
});

export const ModelMessage = z.object({
  kind: z.literal("model"),
  node,
  run: count,
  name: text.min(1).max(200),
  metrics: z.record(z.string(), z.number().nullable()),
  hardware: z.array(text.max(100)).max(20),
  authors: z.array(text.max(200)).max(50).nullable(),
  artifact: text.max(4_000).nullish(),
  params: z.record(z.string(), text).optional(),
  /** Where its files are. */
  logged_model: z
    .string()
    .regex(/^m-[0-9a-f]{32}$/)
    .optional(),
});

export const AskPasswordMessage = z.object({
  kind: z.literal("ask_password"),
  question,
  prompt: text.max(2_000),
  node: node.optional(),
  /** Whether the answer is a password. False for `input()`. */
  hidden: z.boolean().default(true),
});

/** A node no longer waits for the answer to its question. */
export const WithdrawMessage = z.object({ kind: z.literal("withdraw"), question });

/** What an interrupt still waits for. Sent one second after the interrupt and every second from then on. */
export const InterruptingMessage = z.object({
  kind: z.literal("interrupting"),
  seconds: z.number().min(0).max(1e9),
  nodes: z.array(z.object({ node: whole, line, function: text.max(1_000) })).max(1_000),
});

/** The progress of installing packages. A total of 0: done. */
export const InstallingMessage = z
  .object({ kind: z.literal("installing"), total: count.max(10_000), done: count.max(10_000), what: text.max(200) })
  .refine(({ total, done }) => done <= total);

export const EarlyMessage = z.object({ kind: z.literal("early"), command: z.literal("run-setup"), number: whole });

const error = text.max(100_000).nullable().default(null);
const finished = <Command extends string, Shape extends z.ZodRawShape>(command: Command, more: Shape) =>
  z.object({ kind: z.literal("done"), command: z.literal(command), number: whole, error, ...more });

/** Commands whose end carries no data. */
const plainCommands = [
  "pause",
  "interrupt",
  "force-stop",
  "break",
  "clear",
  "continue",
  "step-over",
  "step-in",
  "step-out",
  "cancel-evaluate",
  "exceptions",
] as const;

/** How a command of the worker ended. With an error the rest may be left out. */
export const DoneMessage = z.discriminatedUnion("command", [
  finished("run", {
    good: z.boolean().optional(),
    run: count.default(0),
    interrupted: z.boolean().default(false),
    /** The nodes that raised something. */
    failed: z.array(whole).max(nodesMax).default([]),
    /** What its nodes imported from: the version of each package that was installed for them. */
    packages: z
      .record(text.min(1).max(200), text.max(100))
      .refine((given) => Object.keys(given).length <= 1_000)
      .default({}),
  }),
  finished("compile", { node: node.optional(), attributes: z.array(anything).max(10_000).nullish() }),
  finished("run-setup", {}),
  finished("plan", {
    plan: z.array(PlannedNode).max(100_000).default([]),
    mode: text.max(20).default(""),
    target: node.default(null),
  }),
  finished("evaluate", {
    expression: text.max(1_000_000).default(""),
    frame: whole.default(0),
    value: z.unknown(),
    cuts,
    /** What it printed. */
    output: text.max(50_000).default(""),
  }),
  finished("frame", { frame: whole, locals: anything.default({}), cuts }),
  finished("unfold", {
    reference: whole,
    from: whole,
    size: whole.default(0),
    entries: z
      .array(z.tuple([text.max(3_000), z.unknown()]))
      .max(100)
      .default([]),
    /** A part of a long text, which has no entries. */
    text: text.max(20_000).nullable().default(null),
    cuts,
  }),
  finished("sample", {
    node: whole.default(0),
    transmitter: text.max(1_000).default(""),
    sent: whole.nullable().default(null),
    value_kind: text.max(1_000).nullable().default(null),
    size: text.max(1_000).nullable().default(null),
    value: z.unknown(),
  }),
  finished("info", { info: anything.nullable().default(null) }),
  ...plainCommands.map((command) => finished(command, {})),
]);

const SecretMessage = z.object({ kind: z.literal("secret"), question, key: text.max(200) });
const FileMessage = z.object({ kind: z.literal("file"), question, file: text.regex(/^[0-9a-zA-Z]{1,64}$/) });

/** Which of these results are kept. */
const FindResultsMessage = z.object({
  kind: z.literal("find_results"),
  question,
  keys: z.array(ResultKey).max(runMax.keys),
});

/** Asks for a kept result as a file that the worker may map into memory. */
const LoadResultMessage = z.object({ kind: z.literal("load_result"), question, key: ResultKey });

/** The variables and files that a result depends on: values as short hashes, files with size, time and hash. */
export const ResultReads = z.object({
  environment: z.record(text.max(1_000), text.max(64)),
  files: z.record(text.max(4_096), z.tuple([z.number().int().min(-1), whole, text.max(64)])),
});
export type ResultReads = z.infer<typeof ResultReads>;

/** A file in the folder for new results, complete, that the agent may take away and keep. */
const KeepResultMessage = z.object({
  kind: z.literal("keep_result"),
  question,
  key: ResultKey,
  node: whole,
  run: count,
  seconds: moment,
  file: text.regex(/^[0-9a-z]{1,64}$/),
  reads: ResultReads.default({ environment: {}, files: {} }),
});

/** Every message that the worker may send in an event frame. */
export const WorkerMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("hello") }),
  z.object({ kind: z.literal("resumed") }),
  BreakMessage,
  ExceptionMessage,
  ProgressMessage,
  OutputMessage,
  ModelMessage,
  AskPasswordMessage,
  WithdrawMessage,
  InterruptingMessage,
  InstallingMessage,
  SecretMessage,
  FileMessage,
  PlannedMessage,
  MetricsMessage,
  FindResultsMessage,
  LoadResultMessage,
  KeepResultMessage,
  EarlyMessage,
  DoneMessage,
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;
