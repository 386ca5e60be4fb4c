import { assertNever } from "@miranda/contract/assert-never.ts";
import { logsEvent } from "@miranda/contract/events.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { BreakEvent } from "@miranda/contract/schemas/processors.ts";

import { type JobRow, roomOf } from "../jobs/jobs-queries.ts";
import { toLogEntry } from "../logs/log-entries.ts";
import { isMidRun, publishNodes } from "./node-progress.ts";
import { questionName, toQuestion } from "../commands/question-name.ts";
import { type Publish, publishOf } from "./publish.ts";
import type { Batch } from "./reduce-events.ts";

interface Dependencies {
  publish: Publish;
  announce: (job: JobRow) => void;
  onSetUp: (graphId: string) => void;
}

/**
 * Publishes a stored batch of an agent's events. Call it after the transaction: what was not stored is not published.
 */
export function createBatchPublisher({ publish: publishAll, announce, onSetUp }: Dependencies) {
  function publishOne(
    publish: Publish,
    graphId: string,
    job: JobRow,
    event: Batch["toPublish"][number],
    setUp: (graphId: string) => void,
  ): void {
    const job_id = job.id;
    if (event.kind === "break") {
      const full = toBreak(job_id, event);
      return publish(graphId, "break", full, withoutVariables(full));
    }
    if (event.kind === "exception") {
      const { node, line, function: funcname, traceback } = event;
      return publish(graphId, "exception", { job_id, wob_key: node ?? 0, line_number: line, funcname, traceback });
    }
    if (event.kind === "early") return publish(graphId, "run-setup", { job_id, error: null });
    const { error } = event;
    switch (event.command) {
      case "run-setup":
        setUp(graphId);
        return publish(graphId, "run-setup", { job_id, error });
      case "compile": {
        const api = { compiled: error === null, error, disabled: false, attributes: event.attributes };
        const compiled = { job_id, error, wob_key: event.node ?? null };
        return publish(graphId, "compile", { ...compiled, api: error === null ? parseNodeApi(api) : null });
      }
      case "git-pull":
      case "git-soft-pull":
      case "git-push":
        return publish(graphId, event.command, { job_id, error, summary: event.summary });
      case "plan": {
        const plan = event.plan.map(({ node, ...planned }) => ({ wob_key: node, ...planned }));
        const { number, mode, target } = event;
        return publish(graphId, "plan", { job_id, error, number, mode, target, plan });
      }
      case "evaluate": {
        const { expression, frame, cuts, output } = event;
        const full = { job_id, error, expression, frame, value: event.value ?? null, cuts, output };
        return publish(graphId, "evaluate", full, { ...full, value: null, error: null, cuts: [], output: "" });
      }
      case "frame": {
        const { frame, locals, cuts } = event;
        const full = { job_id, error, frame, locals, cuts };
        return publish(graphId, "frame", full, { ...full, locals: {}, cuts: [] });
      }
      case "unfold": {
        const { reference, from, size, entries, text, cuts } = event;
        const full = { job_id, error, reference, from, size, entries, text, cuts };
        return publish(graphId, "unfold", full, { ...full, size: 0, entries: [], text: null, cuts: [] });
      }
      case "sample": {
        const { node: wob_key, transmitter, sent, value_kind: kind, size } = event;
        const full = { job_id, error, wob_key, transmitter, sent, kind, size, value: event.value ?? null };
        return publish(graphId, "sample", full, { ...full, value: null });
      }
      case "info":
        return publish(graphId, "info", { job_id, error, info: event.info });
      case "run":
        if (Object.keys(event.packages).length > 0) setUp(graphId);
        publish(graphId, "run_ended", { job_id, interrupted: event.interrupted, failed: event.failed });
        return announce(job);
      case "pause":
      case "interrupt":
      case "force-stop":
      case "continue":
      case "break":
      case "clear":
      case "step-over":
      case "step-in":
      case "step-out":
      case "cancel-evaluate":
      case "exceptions":
        // The client has shown an optimistic state since it sent the command. This is the true one.
        return announce(job);
      default:
        return assertNever(event);
    }
  }

  return (before: JobRow, job: JobRow, batch: Batch): void => {
    const graphId = roomOf(job);
    const publish = publishOf(publishAll, job);
    const setUp = job.deployment_id === null ? onSetUp : () => undefined;
    const isNews = job.state !== before.state || batch.samples.length > 0 || batch.installing !== undefined;
    if (!graphId) return isNews ? announce(job) : undefined;
    // Outputs first, because people wait for them: a browser draws after each event.
    for (const { node, run, number, id, data, metadata } of batch.outputs)
      publish(graphId, "output", { job_id: job.id, wob_key: node ?? 0, run, number, id: id ?? null, data, metadata });
    if (isNews) announce(job);
    if (before.installing && batch.installing === null) setUp(graphId);
    const entries = batch.entries.map(toLogEntry);
    const partial = batch.partials.at(-1);
    if (partial) {
      const timestamp = new Date().toISOString();
      entries.push({ id: batch.lastLine + 1, timestamp, tag: partial.tag, message: partial.text, unfinished: true });
    }
    if (entries.length > 0) publish(graphId, logsEvent(job.id), entries);
    publishNodes(publish, { jobId: job.id, graphId }, [...batch.nodeRuns.values()], batch.running);
    if (batch.bars.size > 0) {
      const nodes = Array.from(batch.bars, ([wob_key, bars]) => ({ wob_key, bars }));
      publish(graphId, "node_bars", { job_id: job.id, nodes });
    }
    for (const { question, prompt, hidden, node = null } of batch.questions)
      publish(graphId, "ask_for_password", toQuestion({ jobId: job.id, graphId }, { question, prompt, hidden, node }));
    for (const question of batch.withdrawn)
      publish(graphId, "password_closed", { question: questionName(job.id, question), answered: false });
    for (const event of batch.toPublish) publishOne(publish, graphId, job, event, setUp);
    if (batch.interrupting && isMidRun(job.state)) {
      const { seconds, nodes } = batch.interrupting;
      const places = nodes.map(({ node, line, function: funcname }) => ({
        wob_key: node,
        line_number: line,
        funcname,
      }));
      publish(graphId, "interrupting", { job_id: job.id, seconds, nodes: places });
    }
  };
}

type Stop = Extract<Batch["toPublish"][number], { kind: "break" }>;

export function toBreak(jobId: string, { node, line, locals, cuts, reason, note, stack }: Stop): BreakEvent {
  return {
    job_id: jobId,
    wob_key: node ?? 0,
    line_number: line,
    locals,
    cuts,
    reason,
    note,
    stack: stack.map((frame) => ({
      wob_key: frame.node,
      line_number: frame.line,
      funcname: frame.function,
      file: frame.file,
    })),
  };
}

/** Readers see the place but not the variables. */
export function withoutVariables(event: BreakEvent): BreakEvent {
  return { ...event, locals: {}, cuts: [], note: null };
}
