import type { Job, JobListQuery, JobsResponse } from "@miranda/contract/schemas/processors.ts";
import { type SessionGroup, sessionGroupOf } from "@miranda/contract/sessions.ts";

import { sessionList as limits } from "../../../limits.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import { lastWithin } from "../logs/log-entries.ts";
import type { LogQueries } from "../logs/logs-queries.ts";
import type { JobListQueries } from "./job-list-queries.ts";
import { toJobSummary } from "./job-view.ts";
import type { JobRow } from "./jobs-queries.ts";

interface Dependencies {
  queries: JobListQueries;
  logs: Pick<LogQueries, "tails">;
  graphs: Pick<Graphs, "getGraph" | "accessExpression">;
}

/** Lists sessions: every living one, then a page of those that have ended. */
export function createJobList({ queries, logs, graphs }: Dependencies) {
  async function readRows(caller: Caller, { graph_id, limit, after }: JobListQuery) {
    if (graph_id) {
      await graphs.getGraph(caller, graph_id, "read");
      const [alive, ended] = await Promise.all([
        queries.aliveOfGraph(graph_id),
        queries.endedOfGraph(graph_id, { limit, after }),
      ]);
      return { alive: [alive], ended };
    }
    const viewer = { accountId: caller.accountId, access: graphs.accessExpression(caller) };
    const [queued, running, ended] = await Promise.all([
      queries.alive(viewer, true, limits.alivePerGroup),
      queries.alive(viewer, false, limits.alivePerGroup),
      queries.ended(viewer, { limit, after }),
    ]);
    return { alive: [queued, running], ended };
  }

  /** With the last lines of their logs, which share what an answer has room for. */
  async function withLogs(caller: Caller, rows: JobRow[], { log_lines, log_max_length }: JobListQuery): Promise<Job[]> {
    const lines = Math.min(log_lines ?? 1, limits.logLinesMax);
    const serving = rows.flatMap(({ deployment_id, project_id }) => (deployment_id === null ? [] : (project_id ?? [])));
    const readOnly = await queries.readOnly([...new Set(serving)], graphs.accessExpression(caller));
    // The log of a session that serves calls is for those who may change the workflow.
    const isOpen = ({ deployment_id, project_id }: JobRow): boolean =>
      deployment_id === null || project_id === null || !readOnly.has(project_id);
    const tails = await logs.tails(rows.filter(isOpen), { log_lines: lines, log_max_length });
    const room = Math.floor(limits.logCharacters / rows.length);
    return rows.map((row) => ({ ...toJobSummary(row), logs: lastWithin(tails.get(row.id) ?? [], room) }));
  }

  return async (caller: Caller, query: JobListQuery): Promise<JobsResponse> => {
    const { alive, ended } = await readRows(caller, query);
    const listed = await withLogs(
      caller,
      [...alive.flatMap((rows) => rows.slice(0, limits.alivePerGroup)), ...ended.slice(0, query.limit)],
      query,
    );
    const cut = alive.flatMap(([first, ...more]): SessionGroup[] =>
      first && more.length >= limits.alivePerGroup ? [sessionGroupOf(first.state)] : [],
    );
    const answer: JobsResponse = { running: [], exited: [], errored: [], queued: [], next: null, cut };
    const aliveCount = listed.length - Math.min(ended.length, query.limit);
    let bytes = 0;
    for (const [at, job] of listed.entries()) {
      bytes += Buffer.byteLength(JSON.stringify(job));
      // The page ends early, but not before its first entry: the next page would be the same again.
      if (at > aliveCount && bytes > limits.answerBytes) {
        answer.next = listed[at - 1]?.id ?? null;
        return answer;
      }
      answer[sessionGroupOf(job.workflow_state)].push(job);
    }
    if (ended.length > query.limit) answer.next = ended[query.limit - 1]?.id ?? null;
    return answer;
  };
}
