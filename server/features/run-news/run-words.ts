import { assertNever } from "@miranda/contract/assert-never.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { moneyText } from "@miranda/contract/words/money-text.ts";

import { runTimes } from "../runs/run-times.ts";
import type { NewsRow } from "./run-news-queries.ts";

/** What somebody reads about a run that ended. */
export function endWords(run: NewsRow, currency: string): { title: string; body: string } {
  const facts = `Run ${run.number} took ${durationText(runTimes(run).took)} and cost ${moneyText(run.cost, currency)}.`;
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

/** A run as webhooks get it. */
export function webhookRun(
  run: NewsRow,
  { publicUrl, currency }: { publicUrl: string | undefined; currency: string },
): Record<string, unknown> {
  const times = runTimes(run);
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
    currency,
    seconds: times.took,
    times,
    /** As people read it everywhere else. */
    words: { took: durationText(times.took), cost: moneyText(run.cost, currency) },
    time_began: run.began_at.toISOString(),
    time_ended: run.ended_at?.toISOString() ?? null,
    workflow: { id: run.graph_id, name: run.graph_name },
    project: { id: run.project_id, name: run.project_name },
  };
}
