import type { Command } from "@miranda/contract/processor.ts";
import type { BreakEvent, JobSummary, LogEntry } from "@miranda/contract/schemas/processors.ts";
import type { AskForPasswordEvent, OpenQuestions } from "@miranda/contract/schemas/realtime.ts";
import type { Continuation } from "@miranda/contract/schemas/runs.ts";

import { call } from "../http.ts";

const path = (graphId: string) => `/api/v3/graphs/${encodeURIComponent(graphId)}/processor`;

export function readProcessor(graphId: string): Promise<JobSummary | null | undefined> {
  return call(path(graphId));
}

/** The last lines, or all between two numbers. */
export function readProcessorLogs(graphId: string, between?: { after: number; before: number }): Promise<LogEntry[]> {
  return call(`${path(graphId)}/logs${between ? `?after=${between.after}&before=${between.before}` : ""}`);
}

/** Where the session is paused, for a person who opens the graph after the event. */
export function readBreak(graphId: string): Promise<BreakEvent | null | undefined> {
  return call(`${path(graphId)}/break`);
}

/** Passwords that nodes are waiting for. */
export function readOpenQuestions(graphId: string): Promise<OpenQuestions | undefined> {
  return call(`${path(graphId)}/questions`);
}

/** Answers `input()` of a node, in plain text. */
export function answerInput({ project_id, question = "" }: AskForPasswordEvent, answer: string): Promise<unknown> {
  return call(`${path(project_id)}/answers`, { method: "POST", fields: { question, answer } });
}

/** `forRun`: a run follows as soon as it is ready, and has waited for it. */
export function createProcessor(graphId: string, tag: number, forRun: boolean): Promise<{ tag?: number } | undefined> {
  return call(path(graphId), { method: "POST", fields: { tag, ...(forRun && { for_run: true }) } });
}

/** What a new session could continue from. */
export function readContinuation(graphId: string): Promise<Continuation | null> {
  return call(`/api/v3/graphs/${encodeURIComponent(graphId)}/continuation`);
}

/** Fails when `run` would be refused because of the code. */
export async function checkRun(graphId: string, args: string): Promise<void> {
  await call(`/api/v3/graphs/${encodeURIComponent(graphId)}/run-check`, { method: "POST", fields: { args } });
}

export function sendProcessorCommand(
  graphId: string,
  command: Command,
  args?: string,
): Promise<{ number?: number } | undefined> {
  return call(`${path(graphId)}/${command}`, { method: "POST", fields: args === undefined ? {} : { args } });
}
