import { assertNever } from "@miranda/contract/assert-never.ts";
import { creditsText } from "@miranda/contract/words/credits-text.ts";

import type { NewsRow } from "./run-news-queries.ts";

/** What somebody reads about a run that ended. */
export function endWords(run: NewsRow): { title: string; body: string } {
  const facts = `Run ${run.number} took ${durationWords(run.seconds)} and cost ${creditsText(run.cost)} credits.`;
  const title = `${run.graph_name} ${endVerb(run.state)}`;
  if (run.state === "done") return { title, body: facts };
  const where = run.failed_node === null ? "" : `${run.failed_node}: `;
  return { title, body: run.reason === "" ? facts : `${where}${run.reason}` };
}

function endVerb(state: NewsRow["state"]): string {
  switch (state) {
    case "done":
      return "is done";
    case "failed":
      return "failed";
    case "crashed":
      return "crashed";
    case "stopped":
    case "lost":
      return "was stopped";
    case "running":
    case "paused":
      return "runs";
    default:
      return assertNever(state);
  }
}

function durationWords(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A run as webhooks get it. */
export function webhookRun(run: NewsRow, publicUrl: string | undefined): Record<string, unknown> {
  return {
    id: run.id,
    url: publicUrl === undefined ? null : new URL(`/designer/runs/${run.id}`, publicUrl).href,
    number: run.number,
    session: run.session_tag,
    mode: run.mode,
    state: run.state,
    reason: run.reason,
    failed_node: run.failed_node,
    by: run.username,
    nodes: { run: run.nodes_run, skipped: run.nodes_skipped, failed: run.nodes_failed },
    cost: run.cost,
    budget: run.budget,
    seconds: run.seconds,
    time_began: run.began_at.toISOString(),
    time_ended: run.ended_at?.toISOString() ?? null,
    workflow: { id: run.graph_id, name: run.graph_name },
    project: { id: run.project_id, name: run.project_name },
  };
}
