import type { AnswerBody } from "@miranda/contract/schemas/processors.ts";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Notifications } from "../../../platform/database/pg-notifications.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Processors } from "../processors-service.ts";
import type { Runner } from "../agent/agent-service.ts";

interface Dependencies {
  graphs: Pick<Graphs, "getGraph">;
  processors: Pick<Processors, "findAliveId">;
  runner: Pick<Runner, "answerQuestion">;
  notifications: Pick<Notifications, "wake">;
}

export type Answers = ReturnType<typeof createAnswers>;

/** People's answers to questions of node code. */
export function createAnswers({ graphs, processors, runner, notifications }: Dependencies) {
  async function give(graphId: string, answer: string, which: { name?: string | undefined; isClear?: boolean }) {
    const jobId = await processors.findAliveId(graphId);
    if (jobId === undefined || !(await runner.answerQuestion({ jobId, graphId }, answer, which))) return false;
    notifications.wake(`job:${jobId}`);
    return true;
  }

  return {
    /** A password, which arrives as a temporary secret. */
    async takeSecret(graphId: string, value: string, name?: string): Promise<void> {
      if (!(await give(graphId, value, { name })) && name !== undefined) throw new AppError("question_closed");
    },

    /** An answer to `input()`. Refused for a password: it would be shown in the log. */
    async takeClear(caller: Caller, graphId: string, { question, answer }: AnswerBody): Promise<void> {
      await graphs.getGraph(caller, graphId, "write");
      if (!(await give(graphId, answer, { name: question, isClear: true }))) throw new AppError("question_closed");
    },
  };
}
