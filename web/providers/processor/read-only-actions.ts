import { messages } from "@miranda/contract/words/messages.ts";

import type { ProcessorActions } from "./processor-session.ts";

/** For the log of a session that is only looked at: it can be cancelled, nothing else. */
export function readOnlyActions(cancel: () => Promise<unknown>): ProcessorActions {
  const refuse = () => Promise.reject(new Error(messages.notImplemented));
  return {
    create: refuse,
    start: refuse,
    stop: refuse,
    restart: refuse,
    run: refuse,
    plan: refuse,
    checkRun: refuse,
    sample: refuse,
    runSetup: refuse,
    compile: refuse,
    resume: refuse,
    pause: refuse,
    interrupt: refuse,
    forceStop: refuse,
    step: refuse,
    evaluate: refuse,
    cancelEvaluate: refuse,
    frame: refuse,
    unfold: refuse,
    gitPull: refuse,
    gitSoftPull: refuse,
    gitPush: refuse,
    addBreakpoint: refuse,
    changeBreakpoint: refuse,
    removeBreakpoint: refuse,
    clearBreakpoints: refuse,
    setExceptions: refuse,
    info: refuse,
    cancel: async () => void (await cancel()),
  };
}
