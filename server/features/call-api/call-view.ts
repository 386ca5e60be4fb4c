import { callEndWords } from "@miranda/contract/call-inputs/call-words.ts";
import type { ProgressBar } from "@miranda/contract/protocol/worker.ts";
import type { Call, CallOutput, CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";

import { authorOf } from "../auth/auth-service.ts";
import { tookSeconds } from "../runs/run-times.ts";
import type { CallDetails, CallHead, OutputRow } from "./call-api-queries.ts";
import { fileIn, imageIn, valueOf } from "./output-files.ts";

/** What somebody may see of a call. */
export interface Viewer {
  /** Whether they may read the workflow: its exceptions and its log. */
  mayRead: boolean;
  /** Whether they may see what was given. */
  maySeeInputs: boolean;
  /** Whether it is their own call: only they share it. */
  isOwn: boolean;
}

type Step = Call["steps"][number];

/** A call without its steps and outputs. */
function outlineOf(row: CallHead, { mayRead, maySeeInputs, isOwn }: Viewer): Omit<CallSummary, "by" | "cost"> {
  const failedStep = row.form.steps.find(({ wob_key }) => wob_key === row.failed_node)?.label ?? null;
  return {
    id: row.id,
    app: {
      id: row.deployment_id,
      name: row.app_name,
      title: row.app_title,
      release: row.release_number,
      channel: row.channel,
    },
    via: row.via,
    state: row.state,
    reason: callEndWords({ ...row, hasBegun: row.began_at !== null, failedStep, mayRead }),
    position: row.position,
    inputs: maySeeInputs ? row.inputs : {},
    outputs_removed: row.outputs_removed === true,
    shared: isOwn ? row.share : null,
    reported: row.reported_at !== null,
    time_called: row.created_at.toISOString(),
    time_began: row.began_at?.toISOString() ?? null,
    time_ended: row.ended_at?.toISOString() ?? null,
    seconds: tookSeconds(row),
    revision: row.revision,
  };
}

/** A call in a list. Those who may read the workflow also learn who called and what it cost. */
export function toSummary(row: CallHead, viewer: Viewer): CallSummary {
  const outline = outlineOf(row, viewer);
  return viewer.mayRead ? { ...outline, by: authorOf(row), cost: row.cost, schedule_id: row.schedule_id } : outline;
}

export function toCall(
  row: CallDetails,
  parts: { outputs: readonly OutputRow[]; bars: ReadonlyMap<number, ProgressBar> },
  viewer: Viewer,
): Call {
  const outputs = parts.outputs.map(toOutput);
  return {
    ...outlineOf(row, viewer),
    steps: toSteps(row, parts.bars),
    outputs: outputs.toSorted((one, other) => one.place - other.place || one.number - other.number).map(withoutPlace),
    result: row.state === "done" ? resultOf(outputs, `/api/v3/deployments/${row.app_name}/runs/${row.id}`) : {},
  };
}

export function toOutput({ name, label, place, number, data, metadata }: OutputRow): CallOutput & { place: number } {
  return { name, label, place, number, data, metadata, file: fileIn(data) };
}

export function withoutPlace({ name, label, number, data, metadata, file }: CallOutput): CallOutput {
  return { name, label, number, data, metadata, file };
}

function resultOf(outputs: readonly (CallOutput & { place: number })[], address: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const { name, data, file, number } of outputs) {
    const image = imageIn(data);
    const value = file || image ? undefined : valueOf(data);
    const url = `${address}/files/${number}`;
    result[name] = value ?? (file ? { ...file, url } : image ? { type: image.type, url } : null);
  }
  return result;
}

/** The nodes that the release has words for, in its order. */
function toSteps(row: CallDetails, bars: ReadonlyMap<number, ProgressBar>): Step[] {
  const statuses = new Map(row.nodes.map(({ node_id, status }) => [node_id, status]));
  return row.form.steps.map(({ wob_key, label }) => {
    const state = stepState(row, statuses.get(wob_key));
    return { label, state, progress: state === "running" ? (bars.get(wob_key) ?? null) : null };
  });
}

const stepStates: ReadonlyMap<string | undefined, Step["state"]> = new Map([
  ["done", "done"],
  // It did not have to run again.
  ["", "done"],
  ["error", "failed"],
  ["running", "running"],
  ["waiting", "waiting"],
]);

function stepState({ state, ended_at }: CallHead, status: string | undefined): Step["state"] {
  const known = stepStates.get(status);
  if (known) return known;
  if (ended_at === null && status === undefined) return "waiting";
  return state === "done" ? "done" : "stopped";
}
