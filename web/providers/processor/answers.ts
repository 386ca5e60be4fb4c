import { messages } from "@miranda/contract/words/messages.ts";
import { debugging } from "@miranda/contract/limits.ts";
import { timeouts } from "../../limits.ts";
import type {
  CommandEvent,
  CompileEvent,
  EvaluateEvent,
  FrameEvent,
  GitEvent,
  PlanEvent,
  SampleEvent,
  UnfoldEvent,
} from "@miranda/contract/schemas/processors.ts";

import type { Realtime } from "../../api/socket.ts";

/** The events that answer a command, how long they may take, and the words when they do not come. */
const answers = {
  compile: { wait: timeouts.compile, late: messages.compileTimedOut },
  "git-pull": { wait: timeouts.gitPull, late: messages.gitPullTimedOut },
  "git-soft-pull": { wait: timeouts.gitSoftPull, late: messages.gitPullTimedOut },
  "git-push": { wait: timeouts.gitPush, late: messages.gitPushTimedOut },
  "run-setup": { wait: timeouts.runSetup, late: messages.runSetupTimedOut },
  // Somebody who evaluates something sees that it goes on, and may end it.
  evaluate: { wait: debugging.evaluateSecondsMax * 1_000, late: "The processor did not answer." },
  frame: { wait: 15_000, late: "The processor did not answer." },
  unfold: { wait: 15_000, late: "The processor did not answer." },
  plan: { wait: 15_000, late: "The processor did not answer." },
  sample: { wait: 15_000, late: "The processor did not answer." },
} as const;

export type AnsweredCommand = keyof typeof answers;

interface AnswerEvents {
  compile: CompileEvent;
  "git-pull": GitEvent;
  "git-soft-pull": GitEvent;
  "git-push": GitEvent;
  "run-setup": CommandEvent;
  evaluate: EvaluateEvent;
  frame: FrameEvent;
  unfold: UnfoldEvent;
  plan: PlanEvent;
  sample: SampleEvent;
}

/** Whether an event answers this command, and not another of the same name. */
export type Fits<Name extends AnsweredCommand> = (event: AnswerEvents[Name]) => boolean;

interface Awaited<Event> {
  answer: Promise<Event>;
  stop: () => void;
}

/**
 * Listens from the moment it is called, so an answer that comes before the call returns is not missed. A rejection is
 * held back until somebody awaits it.
 */
export function awaitAnswer<Name extends AnsweredCommand>(
  realtime: Pick<Realtime, "on">,
  name: Name,
  jobId: string,
  fits: Fits<Name> = () => true,
): Awaited<AnswerEvents[Name]> {
  const { promise, resolve, reject } = Promise.withResolvers<AnswerEvents[Name]>();
  const { wait, late } = answers[name];
  const listen = (event: AnswerEvents[Name]) => {
    if (!isFrom(event, jobId) || !fits(event)) return;
    stop();
    // What is evaluated may fail and have printed something before: that is an answer too.
    if (event.error && name !== "evaluate") reject(new Error(event.error));
    else resolve(event);
  };
  // TypeScript cannot express that the event of a name is the one in `AnswerEvents`.
  const unlisten = realtime.on(name, listen as never);
  const timer = setTimeout(() => {
    unlisten();
    reject(new Error(late));
  }, wait);
  function stop(): void {
    clearTimeout(timer);
    unlisten();
  }
  promise.catch(() => undefined);
  return { answer: promise, stop };
}

/** Listens like `awaitAnswer`; which of the answers is meant is known when the call returns. */
export function awaitNumbered(realtime: Pick<Realtime, "on">, name: "plan", jobId: string) {
  const early: PlanEvent[] = [];
  let wanted: number | undefined;
  const { answer, stop } = awaitAnswer(realtime, name, jobId, (event) => {
    if (wanted === undefined) early.push(event);
    return event.number === wanted;
  });
  return {
    stop,
    numbered(number: number | undefined): Promise<PlanEvent> {
      wanted = number;
      const found = early.find((event) => event.number === number);
      if (!found) return answer;
      stop();
      return found.error ? Promise.reject(new Error(found.error)) : Promise.resolve(found);
    },
  };
}

/** An event without a job id is about the graph's only job. */
function isFrom(event: { job_id?: string }, jobId: string): boolean {
  return event.job_id === undefined || event.job_id === jobId;
}
