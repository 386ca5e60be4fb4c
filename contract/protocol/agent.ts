import { z } from "zod";

import type { BreakpointLine, BreakpointLines, EvaluateArgs, UnfoldArgs } from "../command-args.ts";
import type { ExceptionMode } from "../processor.ts";

import {
  AskPasswordMessage,
  BreakMessage,
  DoneMessage,
  EarlyMessage,
  ExceptionMessage,
  InstallingMessage,
  InterruptingMessage,
  MetricsMessage,
  ModelMessage,
  OutputMessage,
  PlannedMessage,
  ProgressMessage,
  ResultKey,
  runMax,
  WithdrawMessage,
} from "./worker.ts";

// What an agent posts to the server. The server checks it like any other input: an agent may only report its own job.

const whole = z.number().int().min(0);
const tag = z.number().int().min(0).max(4);
const node = whole.nullable();

const LogMessage = z.object({
  kind: z.literal("log"),
  tag,
  at: z.number(),
  text: z.string(),
  node: node.default(null),
});

/** A line that is still being written. */
const PartialMessage = z.object({ kind: z.literal("partial"), tag, text: z.string().max(20_000) });

/** How a worker died unexpectedly, and where its nodes were. Line 0: unknown. */
export const WorkerDeath = z.object({
  nodes: z.array(z.object({ node: whole, line: whole.max(1e9), function: z.string().max(1_000) })).max(64),
  exit_code: z.number().int().nullable().default(null),
  signal: z
    .string()
    .regex(/^SIG[A-Z0-9+]{1,20}$/)
    .nullable()
    .default(null),
  /** The memory used at the end and the limit, when it was ended for exceeding it. */
  used_gb: z.number().min(0).max(1e6).nullable().default(null),
  limit_gb: z.number().min(0).max(1e6).nullable().default(null),
  /** The traceback that Python wrote when it crashed. */
  traceback: z.string().max(100_000).default(""),
});
export type WorkerDeath = z.infer<typeof WorkerDeath>;

const StateMessage = z.object({
  kind: z.literal("state"),
  state: z.enum(["READY", "RUNNING", "RESUMEREADY", "ERROR", "EXITED"]),
  reason: z.string().max(10_000).nullable().default(null),
  command: whole,
  death: WorkerDeath.nullable().default(null),
});

const UsageMessage = z.object({
  kind: z.literal("usage"),
  sample: whole,
  seconds: z.number().min(0).max(1e6),
  cpu_seconds: z.number().min(0).max(1e8),
  ram_gb: z.number().min(0).max(1e5),
  /** Since the session began. Left out when it is not measured. */
  received_bytes: z.number().min(0).max(1e18).optional(),
  sent_bytes: z.number().min(0).max(1e18).optional(),
  /** The number of the run that it belongs to. 0: to none. */
  run: whole.max(2_147_483_647).default(0),
  /** When it was measured, by the agent's monotonic clock, in seconds. */
  clock: z.number().min(0).max(1e12).optional(),
});

/** The agent runs git itself, in a process of its own. */
const GitDoneMessage = z.object({
  kind: z.literal("done"),
  command: z.enum(["git-pull", "git-soft-pull", "git-push"]),
  number: whole,
  error: z.string().max(1_000_000).nullable().default(null),
  summary: z.string().max(1_000_000).default(""),
});

export const RunnerEvent = z.discriminatedUnion("kind", [
  LogMessage,
  PartialMessage,
  StateMessage,
  UsageMessage,
  WithdrawMessage,
  InterruptingMessage,
  InstallingMessage,
  BreakMessage,
  ExceptionMessage,
  ProgressMessage,
  PlannedMessage,
  MetricsMessage,
  OutputMessage,
  ModelMessage,
  AskPasswordMessage,
  EarlyMessage,
  z.discriminatedUnion("command", [...DoneMessage.options, GitDoneMessage]),
]);
export type RunnerEvent = z.infer<typeof RunnerEvent>;

export const RunnerEvents = z.object({ first: z.number().int().min(1), events: z.array(RunnerEvent).max(100_000) });
export type RunnerEvents = z.infer<typeof RunnerEvents>;

/** What a call brings along, and which last values it reports. */
export interface CallOrder {
  /** By node and attribute. */
  values: Record<string, Record<string, unknown>>;
  /** The nodes that every call runs, with everything after them. */
  always: number[];
  outputs: { node: number; transmitter: string }[];
}

/** The commands of the server to an agent. Each is a numbered row, and an agent gets those after its last one. */
export type AgentCommand =
  | {
      command: "run";
      mode: string;
      target?: number | undefined;
      line?: number | undefined;
      breakpoints?: BreakpointLines | undefined;
      exceptions?: ExceptionMode | undefined;
      /** The number of the run in its session, counted by the server. */
      run?: number | undefined;
      /** Uses the kept results of earlier sessions. */
      resume?: boolean | undefined;
      /** The packages of the run that it repeats, by name: the same versions are installed. */
      packages?: Record<string, string> | undefined;
      /** With the modes `call` and `warm`, in a session that serves calls. */
      call?: CallOrder | undefined;
    }
  | {
      command: "plan";
      mode: string;
      target?: number | undefined;
      breakpoints?: BreakpointLines | undefined;
      /** The nodes whose unsaved code a run would commit, each with the SHA-256 of that code. */
      edited?: Record<string, string> | undefined;
      resume?: boolean | undefined;
    }
  | { command: "compile"; node: number | null; attributes: Record<string, unknown>; code: string }
  /** `of`: the number of the command to interrupt, if it still runs. */
  | {
      command: "interrupt";
      of?: number | undefined;
      /** After how many seconds the worker stops by force what does not end. Left out: never. */
      force_after?: number | undefined;
    }
  /** Ends what runs this node, whatever it does, and keeps every finished result. */
  | { command: "force-stop"; node: number }
  | { command: "run-setup" | "pause" | "info" | "restart" | "step-over" | "step-in" | "step-out" }
  | { command: "continue"; lines: BreakpointLine[] | undefined }
  | { command: "break" | "clear"; breakpoints: BreakpointLines | undefined }
  | ({ command: "evaluate" } & EvaluateArgs)
  | { command: "cancel-evaluate" }
  | ({ command: "unfold" } & UnfoldArgs)
  | { command: "frame"; frame: number }
  | { command: "exceptions"; mode: ExceptionMode }
  | { command: "sample"; node: number; transmitter: string }
  | { command: "stop"; state: "EXITED"; reason: string | null }
  | { command: "answered"; question: number }
  | GitAgentCommand;

export interface GitAgentCommand {
  command: "git-pull" | "git-soft-pull" | "git-push";
  repositories: {
    number: number;
    scheme: string;
    url: string;
    host: string;
    shown: string;
    branch: string;
    nodes: { id: number; name: string; path: string }[];
  }[];
  author: { name: string; email: string };
  seconds: number;
}

export const SecretQuestion = z.object({
  key: z.string().max(200).optional(),
  question: whole.optional(),
  /** The git command that needs it. */
  command: whole.optional(),
});
export type SecretQuestion = z.infer<typeof SecretQuestion>;

/** The agent's monotonic clock when it sent the events. It tells how old a sample is, whatever the machine's time is. */
export const EventsQuery = z.object({ clock: z.coerce.number().min(0).max(1e12).optional() });

export const FindResultsBody = z.object({ keys: z.array(ResultKey).max(runMax.keys) });

export const FileQuestion = z.object({ file: z.string().max(64) });

export const Heartbeat = z.object({
  after: z.coerce.number().int().min(0).default(0),
  wait: z.coerce.number().min(0).max(300).default(10),
});
export type Heartbeat = z.infer<typeof Heartbeat>;
