import type { Run } from "@miranda/contract/schemas/runs.ts";

import { authorOf } from "../auth/auth-service.ts";
import { runTimes } from "./run-times.ts";
import type { RunRow } from "./runs-queries.ts";

/** Whether a run is a call that somebody else made, for a person who only reads the workflow. */
export function isPrivateCall(
  { source, author_id }: Pick<RunRow, "source" | "author_id">,
  reader: string | undefined,
): boolean {
  return reader !== undefined && source !== "person" && author_id !== reader;
}

/** What a reader sees of the calls of others: states and counts. */
export function withoutContent<Shown extends Run>({ budget_question: _question, ...run }: Shown) {
  return { ...run, by: null, reason: "", failed_node: null };
}

/** A run as in answers and events. */
export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    graph: { id: row.graph_id, name: row.graph_name, project_id: row.project_id, project_name: row.project_name },
    by: authorOf(row),
    session: { id: row.job_id, tag: row.session_tag, name: row.session_name, exists: row.living_job !== null },
    number: row.number,
    mode: row.mode,
    target: nodeOf(row.target, row.target_name),
    source: row.source,
    version:
      row.version_id === null ? null : { id: row.version_id, number: row.version_number, name: row.version_name ?? "" },
    graph_revision: row.graph_revision,
    repeats: row.repeats,
    ...(row.trial && {
      trial: { wob_key: row.trial.node, name: row.target_name ?? "", version: row.trial.version },
    }),
    state: row.state,
    reason: row.reason,
    failed_node: nodeOf(row.failed_node, row.failed_name),
    nodes: { run: row.nodes_run, skipped: row.nodes_skipped, failed: row.nodes_failed, kept: row.nodes_kept },
    times: runTimes(row),
    cost: row.cost,
    budget: row.budget,
    ...questionOf(row),
    time_began: row.began_at.toISOString(),
    time_ended: row.ended_at?.toISOString() ?? null,
    revision: row.revision,
  };
}

/** Only while people are asked. */
function questionOf({ budget_question: question, budget_asked_at: asked }: RunRow): Pick<Run, "budget_question"> {
  if (!question || !asked) return {};
  const { limit, spent, of, seconds } = question;
  const stops = new Date(asked.getTime() + seconds * 1_000);
  return {
    budget_question: { limit, spent, of, time_asked: asked.toISOString(), time_stops: stops.toISOString() },
  };
}

function nodeOf(id: number | null, name: string | null): { wob_key: number; name: string } | null {
  return id === null ? null : { wob_key: id, name: name ?? "" };
}
