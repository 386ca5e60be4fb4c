import { assertNever } from "@miranda/contract/assert-never.ts";
import {
  parseBreakpointArgs,
  parseCompileArgs,
  parseContinueArgs,
  parseEvaluateArgs,
  parseExceptionArgs,
  parseForceStopArgs,
  parseFrameArgs,
  parseInterruptArgs,
  parseRunArgs,
  parseSampleArgs,
  parseStartArgs,
  parseUnfoldArgs,
  type RunArgs,
} from "@miranda/contract/command-args.ts";
import type { AgentCommand } from "@miranda/contract/protocol/agent.ts";
import type { Command, WorkflowState } from "@miranda/contract/processor.ts";

import { AppError } from "../../../platform/errors/app-error.ts";

/** A command for the agent, and its effect on the processor's state. */
export interface Order {
  command: AgentCommand;
  from: WorkflowState[];
  to?: WorkflowState;
}

const busy: WorkflowState[] = ["RUNNING", "RESUMEREADY"];
const listening: WorkflowState[] = ["READY", "RUNNING", "RESUMEREADY"];

type Git = Extract<Command, `git-${string}`>;

/** What a command runs or plans. Undefined for other commands. */
export function runWishOf(command: Command, args: string): RunArgs | undefined {
  if (command === "start") return { mode: "changed" };
  return command === "run" || command === "plan" ? read(parseRunArgs(args)) : undefined;
}

/** Stop, restart and git are not for the worker, and are handled elsewhere. */
type Ordered = Exclude<Command, "stop" | "restart" | Git>;

export function isGit(command: string): command is Git {
  return command.startsWith("git-");
}

export function toOrder(command: Ordered, args: string): Order {
  switch (command) {
    case "start": {
      const { line, breakpoints } = read(parseStartArgs(args));
      return { command: { command: "run", mode: "changed", line, breakpoints }, from: ["READY"], to: "RUNNING" };
    }
    case "run": {
      const { mode, node: target, breakpoints, exceptions, resume } = read(parseRunArgs(args));
      const command = { command: "run" as const, mode, target, breakpoints, exceptions, resume };
      return { command, from: ["READY"], to: "RUNNING" };
    }
    case "plan": {
      const { mode, node, breakpoints, resume } = read(parseRunArgs(args));
      return { command: { command: "plan", mode, target: node, breakpoints, resume }, from: ["READY"] };
    }
    case "compile": {
      const { nodeId, attributes, code } = read(parseCompileArgs(args));
      const values = Object.fromEntries(attributes.map(({ name, value }) => [name, value]));
      return {
        command: { command: "compile", node: nodeId, attributes: values, code },
        from: ["READY"],
        to: "RUNNING",
      };
    }
    case "run-setup":
      return { command: { command: "run-setup" }, from: ["READY"], to: "RUNNING" };
    case "continue": {
      const lines = args === "" ? undefined : read(parseContinueArgs(args)).breakpoints;
      return { command: { command: "continue", lines }, from: ["RESUMEREADY"] };
    }
    case "step-over":
    case "step-in":
    case "step-out":
      return { command: { command }, from: ["RESUMEREADY"] };
    case "evaluate":
      return { command: { command, ...read(parseEvaluateArgs(args)) }, from: ["RESUMEREADY"] };
    case "cancel-evaluate":
      return { command: { command }, from: ["RESUMEREADY"] };
    case "unfold":
      return { command: { command, ...read(parseUnfoldArgs(args)) }, from: ["RESUMEREADY"] };
    case "frame":
      return { command: { command, ...read(parseFrameArgs(args)) }, from: ["RESUMEREADY"] };
    case "exceptions":
      return { command: { command, ...read(parseExceptionArgs(args)) }, from: listening };
    case "sample":
      return { command: { command, ...read(parseSampleArgs(args)) }, from: listening };
    case "pause":
      return { command: { command }, from: ["RUNNING"] };
    case "interrupt": {
      const { forceAfter } = read(parseInterruptArgs(args));
      return {
        command: { command, ...(forceAfter !== undefined && forceAfter > 0 && { force_after: forceAfter }) },
        from: busy,
      };
    }
    case "force-stop":
      return { command: { command, ...read(parseForceStopArgs(args)) }, from: busy };
    case "break":
    case "clear":
      return { command: { command, ...read(parseBreakpointArgs(args)) }, from: listening };
    case "info":
      return { command: { command }, from: listening };
    default:
      return assertNever(command);
  }
}

function read<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new AppError("invalid_args");
  return value;
}
