import { z } from "zod";

import { budget as budgetLimits, formText } from "../limits.ts";
import { ExceptionMessage } from "../protocol/worker.ts";
import { RunBudgetQuestion } from "./news/budgets.ts";
import { CommitAuthor } from "./code.ts";
import { Id, numberBetween, oneOf, optionalText } from "./forms.ts";
import { PageKeyQuery } from "./pages.ts";
import { RunState, runStates } from "../run-states.ts";

// Runs of workflows. A run outlives its session.

export { RunState };

const runSources = ["person", "deployment", "schedule"] as const;
export const RunSource = z.enum(runSources);
export type RunSource = z.infer<typeof RunSource>;

/** How long a run took, in seconds, as the server counts it. Of a living run: so far. */
export const RunTimes = z.object({
  /** From its beginning to its end: installing and running. */
  took: z.number(),
  /** Before it began: in the queue, or while the session started that was started for it. */
  waiting: z.number(),
  /** How much of it packages were installed. */
  installing: z.number(),
  /** The rest. */
  running: z.number(),
});
export type RunTimes = z.infer<typeof RunTimes>;

/** A run in a list. */
export const Run = z.object({
  id: z.string(),
  graph: z.object({ id: z.string(), name: z.string(), project_id: z.string(), project_name: z.string() }),
  /** Who ran it; null once the account is deleted. */
  by: CommitAuthor.nullable(),
  /** `exists` is false once the session and its log are removed. */
  session: z.object({ id: z.string(), tag: z.number(), name: z.string(), exists: z.boolean() }),
  /** Counts the runs of the session from 1. */
  number: z.number(),
  mode: z.string(),
  /** The node of the modes one, to and from. */
  target: z.object({ wob_key: z.number(), name: z.string() }).nullable(),
  source: RunSource,
  /** What was run. Null for a moment after it began. */
  version: z.object({ id: z.string(), number: z.number().nullable(), name: z.string() }).nullable(),
  graph_revision: z.number(),
  /** The run that it repeats exactly, or continues. */
  repeats: z.string().nullable(),
  /** The node in which it tried newer code of a template, and the version of that. The workflow kept its code. */
  trial: z.object({ wob_key: z.number(), name: z.string(), version: z.number() }).optional(),
  state: RunState,
  /** Why it ended as it did, in words; empty when that needs no explanation. */
  reason: z.string(),
  failed_node: z.object({ wob_key: z.number(), name: z.string() }).nullable(),
  nodes: z.object({
    /** How many ran, were skipped, failed; `kept` of the skipped ones used a kept result. */
    run: z.number(),
    skipped: z.number(),
    failed: z.number(),
    kept: z.number(),
  }),
  times: RunTimes,
  cost: z.number(),
  /** What it may cost; null without a limit. */
  budget: z.number().nullable(),
  /** Only while it waits for people to say whether it may cost more. */
  budget_question: RunBudgetQuestion.optional(),
  time_began: z.string(),
  time_ended: z.string().nullable(),
  /** Grows with every change. Of two updates about a run, ignore the one with the lower number. */
  revision: z.number(),
});
export type Run = z.infer<typeof Run>;

export const RunPage = z.object({
  runs: z.array(Run),
  /** The `after` of the next page; null at the end. */
  next: z.string().nullable(),
});
export type RunPage = z.infer<typeof RunPage>;

const date = (name: string) =>
  z.iso.datetime({ offset: true, error: `${name} must be a date and a time as ISO 8601 writes them.` });

/** Newest first. `query` searches in the names of workflows, people and sessions. */
export const RunsQuery = PageKeyQuery.extend({
  project_id: Id.optional(),
  graph_id: Id.optional(),
  job_id: Id.optional(),
  version_id: Id.optional(),
  /** The username of who ran it. */
  by: optionalText("by", formText.queryMax).optional(),
  state: oneOf("state", [...runStates, "alive", "bad"]).optional(),
  query: optionalText("query", formText.queryMax).optional(),
  from: date("from").optional(),
  until: date("until").optional(),
});
export type RunsQuery = z.infer<typeof RunsQuery>;

const Moment = z.number();

/** What a node did in a run. */
export const RunNode = z.object({
  wob_key: z.number(),
  name: z.string(),
  planned: z.boolean(),
  /** Why it ran or did not. */
  reason: z.string(),
  /** Empty for a node that was not planned. */
  status: z.string(),
  seconds: z.number(),
  fires: z.number(),
  /** When it was ready, began and ended, in seconds since the run began. */
  spans: z.array(z.tuple([Moment, Moment, Moment])),
  /** Its share of the cost of the run, by the time it ran. */
  cost: z.number(),
  /** What its generators of random numbers began with. Null: something else in every run. */
  seed: z.number().nullable(),
  /** The key of what it sent, when that is kept. */
  result: z.string().nullable(),
});
export type RunNode = z.infer<typeof RunNode>;

export const RunException = ExceptionMessage.omit({ kind: true, node: true }).extend({
  number: z.number(),
  wob_key: z.number().nullable(),
  time_raised: z.string(),
});
export type RunException = z.infer<typeof RunException>;

/** Processor, memory and network of the session while it ran. All lists are equally long. */
export const RunUsage = z.object({
  /** In seconds since the run began. */
  times: z.array(Moment),
  cpu: z.array(z.number()),
  ram_gb: z.array(z.number()),
  /** Bytes per second; null where the network is not measured. */
  received: z.array(z.number()).nullable(),
  sent: z.array(z.number()).nullable(),
});
export type RunUsage = z.infer<typeof RunUsage>;

/** The page of one run. Readers of the workflow get no frames of exceptions: those hold variables. */
export const RunDetails = Run.extend({
  /** Its lines in the session's log. `last_line` is null while it runs. */
  first_line: z.number(),
  last_line: z.number().nullable(),
  packages: z.record(z.string(), z.string()),
  python: z.string(),
  run_nodes: z.array(RunNode),
  /** What installing packages cost. With the costs of the nodes it is the cost of the run. */
  installing_cost: z.number(),
  exceptions: z.array(RunException),
  usage: RunUsage.nullable(),
  models: z.array(z.object({ id: z.string(), name: z.string() })),
  /** Whether the outputs were removed to make room. */
  outputs_removed: z.boolean(),
});
export type RunDetails = z.infer<typeof RunDetails>;

/**
 * The points of a metric, in the order they were logged. A long one is thinned out: of every stretch, the lowest and the
 * highest point are left. A value of null is a gap.
 */
export const RunMetric = z.object({
  name: z.string(),
  wob_key: z.number().nullable(),
  steps: z.array(z.number()),
  values: z.array(z.number().nullable()),
  times: z.array(Moment),
  /** How many points there are. */
  count: z.number(),
});
export type RunMetric = z.infer<typeof RunMetric>;

export const RunMetrics = z.array(RunMetric);
export type RunMetrics = z.infer<typeof RunMetrics>;

/** A run began, changed or ended. Sent to everybody in its workflow and to everybody who watches its project. */
const RunEvent = z.object({ run: Run });
export type RunEvent = z.infer<typeof RunEvent>;

/** A person deleted a run. */
const RunDeletedEvent = z.object({ run_id: z.string() });
export type RunDeletedEvent = z.infer<typeof RunDeletedEvent>;

/** New points of a living run. */
const RunMetricsEvent = z.object({ run_id: z.string(), metrics: RunMetrics });
export type RunMetricsEvent = z.infer<typeof RunMetricsEvent>;

export const RunParams = z.object({ runId: Id });
export type RunParams = z.infer<typeof RunParams>;

const NodeNumber = numberBetween("node", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole");

/** Of one node: those after this number. An answer has at most a few megabytes, and the next page begins after its last. */
export const RunOutputsQuery = z.object({
  node: NodeNumber.optional(),
  after: numberBetween("after", { min: 0, max: 2_147_483_647 }, "whole").default(0),
});
export type RunOutputsQuery = z.infer<typeof RunOutputsQuery>;

/** Of one node, and after this line. Without a line: the last ten thousand. */
export const RunLogsQuery = z.object({
  node: NodeNumber.optional(),
  after: numberBetween("after", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").optional(),
});
export type RunLogsQuery = z.infer<typeof RunLogsQuery>;

/** What a new session could continue from: the newest run that left results of nodes which are as they were. */
export const Continuation = z.object({
  run_id: z.string(),
  /** `number` counts the sessions of the workflow. */
  session: z.object({ id: z.string(), tag: z.number(), number: z.number().nullable(), name: z.string() }),
  time_ended: z.string().nullable(),
  state: RunState,
  /**
   * How many of the workflow's nodes are as they were, with a kept result, of how many. The server compares revisions;
   * only the plan of a session knows it exactly.
   */
  kept: z.number(),
  nodes: z.number(),
});
export type Continuation = z.infer<typeof Continuation>;

/** Raises what a paused run may cost. */
export const RaiseBudgetBody = z.object({
  by: numberBetween("The amount", { min: budgetLimits.min, max: budgetLimits.max }),
});
export type RaiseBudgetBody = z.infer<typeof RaiseBudgetBody>;
