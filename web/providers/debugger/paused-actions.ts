import { type EvaluateArgs, evaluateArgs, type UnfoldArgs, unfoldArgs } from "@miranda/contract/command-args.ts";
import type { Command, ExceptionMode } from "@miranda/contract/processor.ts";
import type { EvaluateEvent, FrameEvent, UnfoldEvent } from "@miranda/contract/schemas/processors.ts";

import type { Fits } from "../processor/answers.ts";

/** What a person can ask of a processor that is paused. */
export interface PausedActions {
  /** The answer contains the error of a failed evaluation, because it may have printed something before. */
  evaluate: (args: EvaluateArgs) => Promise<EvaluateEvent>;
  cancelEvaluate: () => Promise<void>;
  frame: (frame: number) => Promise<FrameEvent>;
  unfold: (args: UnfoldArgs) => Promise<UnfoldEvent>;
  /** Of the run that is on its way; the next one brings its own along. */
  setExceptions: (mode: ExceptionMode) => Promise<void>;
}

interface Answers {
  evaluate: EvaluateEvent;
  frame: FrameEvent;
  unfold: UnfoldEvent;
}

type Ask = <Name extends keyof Answers>(name: Name, args: string, fits: Fits<Name>) => Promise<Answers[Name]>;

interface Ways {
  /** Asks without showing anything, and without a token being asked for. */
  ask: Ask;
  answered: Ask;
  command: (name: Command, args?: string) => Promise<void>;
}

export function createPausedActions({ ask, answered, command }: Ways): PausedActions {
  return {
    evaluate: ({ expression, ...how }) =>
      (how.onlyOwn ? ask : answered)(
        "evaluate",
        evaluateArgs(expression, how),
        (event: EvaluateEvent) => event.expression === expression && event.frame === how.frame,
      ),
    cancelEvaluate: () => command("cancel-evaluate"),
    frame: (frame) => ask("frame", String(frame), (event: FrameEvent) => event.frame === frame),
    unfold: (args) =>
      ask(
        "unfold",
        unfoldArgs(args),
        (event: UnfoldEvent) => event.reference === args.reference && event.from === args.from,
      ),
    setExceptions: (mode) => command("exceptions", mode),
  };
}
