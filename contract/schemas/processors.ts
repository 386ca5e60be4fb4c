import { z } from "zod";

import { processor, secret, sessions } from "../limits.ts";
import { commands, workflowStates } from "../processor.ts";
import { ProgressBar } from "../protocol/worker.ts";
import { NodeApi } from "./attributes.ts";
import { sessionGroups } from "../sessions.ts";
import { exactText, formJson, Id, numberBetween } from "./forms.ts";
import { PageKeyQuery } from "./pages.ts";
import { RunState } from "../run-states.ts";

const WorkflowState = z.enum(workflowStates);
export type WorkflowState = z.infer<typeof WorkflowState>;

const Command = z.enum(commands, "There is no such command.");
export type Command = z.infer<typeof Command>;

/**
 * `tag` is the level, a number of `logLevels`. An entry holds one or several lines of one level, joined by newlines.
 * `id` is the number of its first line, so the next entry's id is this one's plus its lines. An entry with a known id
 * replaces the earlier one: that is how an unfinished line is shown. `wob_key` is the node that printed it, left out
 * when unknown.
 */
export const LogEntry = z.object({
  id: z.number(),
  timestamp: z.string(),
  tag: z.number(),
  message: z.string(),
  wob_key: z.number().optional(),
  /** It is still being written, and not stored yet. */
  unfinished: z.literal(true).optional(),
});
export type LogEntry = z.infer<typeof LogEntry>;

export const LogEntryList = z.array(LogEntry);
export type LogEntryList = z.infer<typeof LogEntryList>;

/** A processor session without its log. */
/** The progress of installing packages before a run. */
export const Installing = z.object({ total: z.number(), done: z.number(), what: z.string() });
export type Installing = z.infer<typeof Installing>;

export const JobSummary = z.object({
  id: z.string(),
  tag: z.number(),
  name: z.string(),
  description: z.string(),
  class: z.literal(sessions.class),
  workflow_state: WorkflowState,
  /** When it came to that state. */
  state_since: z.string(),
  /** Grows with every change. Of two updates about a session, ignore the one with the lower number. */
  revision: z.number(),
  container_id: z.string().nullable(),
  time_created: z.string(),
  /** When it ends because nobody uses it; null while somebody does. */
  ends_at: z.string().nullable(),
  /** Null until the first sample is charged. */
  total_cost: z.number().nullable(),
  cpu_seconds: z.number(),
  ram_gb_seconds: z.number(),
  net_rx_gb: z.number(),
  net_tx_gb: z.number(),
  current_cpu: z.number(),
  cpu_capacity: z.number(),
  current_ram_gb: z.number(),
  ram_gb_capacity: z.number(),
  current_net_rx_gb: z.number(),
  current_net_tx_gb: z.number(),
  /** Null once its workflow has been deleted. */
  graph: z.object({ project_id: z.string(), graph_id: z.string() }).nullable(),
  /** Of a session that serves calls: its events go to the room of this deployment. */
  deployment_id: z.string().nullable().optional(),
  installing: Installing.nullable().optional(),
  /** Its last run, while that is stored. */
  last_run: z.object({ id: z.string(), state: RunState }).nullable().optional(),
});
export type JobSummary = z.infer<typeof JobSummary>;

/** Why a session waits. Null when it does not wait for a place, but for its engine or a machine. */
export const QueuePosition = z.object({ position: z.number().nullable(), reason: z.string() });
export type QueuePosition = z.infer<typeof QueuePosition>;

export const Job = JobSummary.extend({ logs: LogEntryList });
export type Job = z.infer<typeof Job>;

export const JobsResponse = z.object({
  running: z.array(Job),
  exited: z.array(Job),
  errored: z.array(Job),
  queued: z.array(Job),
  /** The `after` of the next page of ended sessions; null on the last one. */
  next: z.string().nullable(),
  /** The groups of living sessions of which only the newest are listed. */
  cut: z.array(z.enum(sessionGroups)).optional(),
});
export type JobsResponse = z.infer<typeof JobsResponse>;

const LogAmount = { min: 0, max: processor.logLinesMax };

/** How much of each log to send along: characters per message, and last lines. */
export const JobsQuery = z
  .object({
    log_max_length: numberBetween("log_max_length", LogAmount, "whole"),
    log_lines: numberBetween("log_lines", LogAmount, "whole"),
  })
  .partial();
export type JobsQuery = z.infer<typeof JobsQuery>;

/** The processor of a graph, or null when it never had one. */
export const ProcessorResponse = JobSummary.nullable();
export type ProcessorResponse = z.infer<typeof ProcessorResponse>;

const ProcessorTag = numberBetween("Tag", { min: 0, max: processor.tagMax }, "whole");

/** `for_run`: a run follows as soon as it is ready, and has waited for it. */
export const CreateProcessorBody = z.object({ tag: ProcessorTag, for_run: formJson(z.boolean()).optional() });
export type CreateProcessorBody = z.infer<typeof CreateProcessorBody>;

export const CreateProcessorResponse = z.object({ id: z.string(), tag: z.number() });
export type CreateProcessorResponse = z.infer<typeof CreateProcessorResponse>;

const CommandParams = z.object({ graphId: Id, command: Command });
export type CommandParams = z.infer<typeof CommandParams>;

export const CommandBody = z.object({ args: exactText("Args", processor.argsMax).default("") });
export type CommandBody = z.infer<typeof CommandBody>;

/** What somebody answers to `input()`. */
export const AnswerBody = z.object({
  question: exactText("Question", secret.keyMax),
  answer: exactText("Answer", processor.answerMax).default(""),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** Where a tree of values is shortened. The rest can be unfolded while the processor is paused. */
export const Cut = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  size: z.number(),
  /** How many of its parts the tree shows. */
  shown: z.number(),
  reference: z.number(),
  /** A long text, which is counted in characters. */
  text: z.boolean(),
});
export type Cut = z.infer<typeof Cut>;

/** One frame of a paused program's stack, the innermost first. A library's frame has a file instead of a node. */
export const StackFrame = z.object({
  wob_key: z.number().nullable(),
  line_number: z.number(),
  funcname: z.string(),
  file: z.string(),
});
export type StackFrame = z.infer<typeof StackFrame>;

export const Breakpoint = z.object({
  line: z.number(),
  wobId: z.number(),
  triggered: z.boolean(),
  /** It stops only when this Python expression holds. */
  condition: z.string().optional(),
  /** Logs this instead of stopping, with the values of the expressions in braces. */
  log: z.string().optional(),
  /** The local variables; there only while the breakpoint is hit. */
  locals: z.record(z.string(), z.unknown()).optional(),
});
export type Breakpoint = z.infer<typeof Breakpoint>;

export const ExceptionInfo = z.object({
  wobId: z.number(),
  line: z.number(),
  function: z.string(),
  traceback: z.string(),
});
export type ExceptionInfo = z.infer<typeof ExceptionInfo>;

export const CompileAttributes = z.array(z.object({ name: z.string(), value: z.unknown().optional() }));
export type CompileAttributes = z.infer<typeof CompileAttributes>;

// The events of a processor. A node is named by its metadata_id throughout.

export const BreakEvent = z.object({
  job_id: z.string(),
  wob_key: z.number(),
  line_number: z.number(),
  locals: z.record(z.string(), z.unknown()),
  // The rest is beyond the specification.
  cuts: z.array(Cut).optional(),
  reason: z.string().optional(),
  /** Why it stopped, where that needs words. */
  note: z.string().nullable().optional(),
  stack: z.array(StackFrame).optional(),
});
export type BreakEvent = z.infer<typeof BreakEvent>;

export const ExceptionEvent = z.object({
  job_id: z.string(),
  wob_key: z.number(),
  line_number: z.number(),
  funcname: z.string(),
  traceback: z.string(),
});
export type ExceptionEvent = z.infer<typeof ExceptionEvent>;

/** Null: none is running any more. */
export const RunningNodeEvent = z.object({ job_id: z.string(), wob_key: z.number().nullable() });
export type RunningNodeEvent = z.infer<typeof RunningNodeEvent>;

/** The nodes that an interrupt still waits for. `seconds` is how long it has waited. Line 0: unknown. */
export const InterruptingEvent = z.object({
  job_id: z.string(),
  seconds: z.number(),
  nodes: z.array(z.object({ wob_key: z.number(), line_number: z.number(), funcname: z.string() })),
});
export type InterruptingEvent = z.infer<typeof InterruptingEvent>;

/** A run is over. `failed` are the nodes that raised something. */
export const RunEndedEvent = z.object({
  job_id: z.string(),
  interrupted: z.boolean(),
  failed: z.array(z.number()),
});
export type RunEndedEvent = z.infer<typeof RunEndedEvent>;

/** The end of a command. `error` is null, or the reason why it failed. */
export const CommandEvent = z.object({ job_id: z.string(), error: z.string().nullable() });
export type CommandEvent = z.infer<typeof CommandEvent>;

/** What a git command did, in words. */
export const GitEvent = CommandEvent.extend({ summary: z.string() });
export type GitEvent = z.infer<typeof GitEvent>;

/** Compiling may find attributes that only appear when the code runs. */
export const CompileEvent = CommandEvent.extend({ wob_key: z.number().nullable(), api: NodeApi.nullable() });
export type CompileEvent = z.infer<typeof CompileEvent>;

export const EvaluateEvent = CommandEvent.extend({
  expression: z.string(),
  frame: z.number(),
  value: z.unknown(),
  cuts: z.array(Cut),
  /** What it printed. */
  output: z.string(),
});
export type EvaluateEvent = z.infer<typeof EvaluateEvent>;

/** The variables of one frame of the stack. */
export const FrameEvent = CommandEvent.extend({
  frame: z.number(),
  locals: z.record(z.string(), z.unknown()),
  cuts: z.array(Cut),
});
export type FrameEvent = z.infer<typeof FrameEvent>;

/** A part of a shortened value: up to a hundred entries, or a part of a long text. Paths of cuts begin at an entry. */
export const UnfoldEvent = CommandEvent.extend({
  reference: z.number(),
  from: z.number(),
  size: z.number(),
  entries: z.array(z.tuple([z.string(), z.unknown()])),
  text: z.string().nullable(),
  cuts: z.array(Cut),
});
export type UnfoldEvent = z.infer<typeof UnfoldEvent>;

/**
 * Which nodes a run would run, with a reason for every node. `number` is that of the command, which the call has
 * returned: two people with unsaved code get different plans.
 */
export const PlanEvent = CommandEvent.extend({
  number: z.number(),
  mode: z.string(),
  target: z.number().nullable(),
  plan: z.array(
    z.object({
      wob_key: z.number(),
      run: z.boolean(),
      reason: z.string(),
      /** The key of the kept result that would be used instead. */
      result: z.string().nullable(),
    }),
  ),
});
export type PlanEvent = z.infer<typeof PlanEvent>;

/** The last value that left a transmitter. */
export const SampleEvent = CommandEvent.extend({
  wob_key: z.number(),
  transmitter: z.string(),
  /** How many values left it in its last run. Null when there were too many to count. */
  sent: z.number().nullable(),
  /** Null: no value left it in this session. */
  kind: z.string().nullable(),
  size: z.string().nullable(),
  value: z.unknown(),
});
export type SampleEvent = z.infer<typeof SampleEvent>;

/** What a node did in the last run that it was part of. */
export const NodeRun = z.object({
  wob_key: z.number(),
  run: z.number(),
  status: z.string(),
  /** Time in its own code. Time in other nodes and in a pause does not count. */
  seconds: z.number(),
  /** How often it ran. */
  fires: z.number(),
});
export type NodeRun = z.infer<typeof NodeRun>;

export const NodeRunList = z.array(NodeRun);
export type NodeRunList = z.infer<typeof NodeRunList>;

/** What the nodes of a run imported from: the version of each package that was installed for them. */
export const RunPackages = z.object({ run: z.number(), packages: z.record(z.string(), z.string()) });
export type RunPackages = z.infer<typeof RunPackages>;

export const RunPackagesList = z.array(RunPackages);
export type RunPackagesList = z.infer<typeof RunPackagesList>;

export const NodeRunsEvent = z.object({ job_id: z.string(), nodes: NodeRunList });
export type NodeRunsEvent = z.infer<typeof NodeRunsEvent>;

/** The current bars of the nodes whose bars have changed. A node's bars disappear when it ends. */
export const NodeBarsEvent = z.object({
  job_id: z.string(),
  nodes: z.array(z.object({ wob_key: z.number(), bars: z.array(ProgressBar) })),
});
export type NodeBarsEvent = z.infer<typeof NodeBarsEvent>;

/** Somebody gave the processor a command. */
export const ActedEvent = z.object({
  job_id: z.string(),
  command: z.string(),
  by: z.object({ username: z.string(), first_name: z.string() }),
});
export type ActedEvent = z.infer<typeof ActedEvent>;

export const InfoEvent = CommandEvent.extend({ info: z.record(z.string(), z.unknown()).nullable() });
export type InfoEvent = z.infer<typeof InfoEvent>;

/** What a node shows, by MIME type, as Jupyter's display protocol has it. */
export const NodeOutput = z.object({
  job_id: z.string(),
  wob_key: z.number(),
  run: z.number(),
  /** Counts from one in each run, so the last number is the count. */
  number: z.number(),
  /** The name that node code gave an output it may replace. */
  id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
});
export type NodeOutput = z.infer<typeof NodeOutput>;

/** Lines of a session that were not sent to a connection, because it had too much unread. They are stored. */
export const LinesLeftOutEvent = z.object({ job_id: z.string(), first: z.number(), last: z.number() });
export type LinesLeftOutEvent = z.infer<typeof LinesLeftOutEvent>;

/** Some outputs of a session were not sent to a connection, for the same reason. */
export const OutputsLeftOutEvent = z.object({ job_id: z.string() });
export type OutputsLeftOutEvent = z.infer<typeof OutputsLeftOutEvent>;

export const NodeOutputList = z.array(NodeOutput);
export type NodeOutputList = z.infer<typeof NodeOutputList>;

const outputNumber = { min: 0, max: 2_147_483_647 };

export const OutputsQuery = z.object({
  node: numberBetween("node", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").optional(),
  /** Of that run; without it, of the node's last run that showed something. */
  run: numberBetween("run", outputNumber, "whole").optional(),
  /** Only those after this number. An answer has at most a few megabytes, and the next page begins after its last. */
  after: numberBetween("after", outputNumber, "whole").default(0),
  /** Only the last output of each node, shortened when large. */
  last: z.enum(["true", "false"]).optional(),
});
export type OutputsQuery = z.infer<typeof OutputsQuery>;

export const LogsQuery = JobsQuery.extend({
  /** Only what comes after this line. */
  after: numberBetween("after", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").optional(),
  /** Only what comes before this line. */
  before: numberBetween("before", { min: 0, max: Number.MAX_SAFE_INTEGER }, "whole").optional(),
});
export type LogsQuery = z.infer<typeof LogsQuery>;

/** `limit` and `after` choose a page of the ended sessions. The living ones are on every page. */
export const JobListQuery = JobsQuery.extend({ graph_id: Id.optional(), ...PageKeyQuery.shape });
export type JobListQuery = z.infer<typeof JobListQuery>;
