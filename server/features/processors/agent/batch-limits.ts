import { logLevels, outputFile } from "@miranda/contract/limits.ts";
import type { RunMetrics } from "@miranda/contract/schemas/runs.ts";
import { sessionBudget as limits } from "../../../limits.ts";

import type { Db } from "../../../platform/database/database.ts";
import { storableJson, storableText } from "../../../platform/database/storable-json.ts";
import { lockQuota } from "../../../platform/limits/quota-lock.ts";
import { type MetricPoints, saveMetrics } from "../../runs/run-metrics-service.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";
import { type Batch, write } from "./reduce-events.ts";
import type { OutputFile, OutputKey, RunnerQueries } from "./agent-queries.ts";

/** What a batch stores besides its own fields. */
export interface Limited {
  /** The rows of the remaining outputs, as JSON. */
  outputs: string[];
  /** The contents of files among them. */
  files: OutputFile[];
  outputBytes: number;
  /** The points that were stored. */
  metrics: RunMetrics;
  warnedLimits: string[];
}

/** The new points of the run that is alive. */
interface NewPoints {
  id: string;
  points: readonly MetricPoints[];
}

/**
 * Removes from a batch what exceeds its session's limits, and says so in the log, once per limit. Node code decides how
 * much it shows, asks and trains: without limits one session could fill the database's disk.
 */
export function createBatchLimits(queries: RunnerQueries, outputBytes: number) {
  async function limitModels(trx: Db, graphId: string, batch: Batch, warn: WarnOnce): Promise<void> {
    const small = batch.models.filter(
      ({ metrics, params }) => JSON.stringify([metrics, params]).length <= limits.metricsMax,
    );
    if (small.length < batch.models.length) warn("metrics", words.metrics);
    if (small.length > limits.modelsPerBatch) warn("models at once", words.modelsAtOnce);
    const models = small.slice(0, limits.modelsPerBatch).map((model) => ({ ...model, name: storableText(model.name) }));
    await lockQuota(trx, { what: "models", owner: graphId });
    const { count, known } = await queries.findModels(
      trx,
      graphId,
      models.map(({ name }) => name),
    );
    const versions = new Map(known);
    let room = limits.modelsPerWorkflow - count;
    batch.models = models.filter(({ name }) => {
      const before = versions.get(name);
      if (before === undefined && room <= 0) warn("models", words.models);
      else if (before !== undefined && before >= limits.versionsPerModel) warn("versions", words.versions);
      else {
        if (before === undefined) room--;
        versions.set(name, (before ?? 0) + 1);
        return true;
      }
      return false;
    });
  }

  async function limitQuestions(trx: Db, jobId: string, batch: Batch, warn: WarnOnce): Promise<void> {
    const over = new Set(batch.withdrawn);
    const asked = batch.questions.filter(({ question }) => !over.has(question));
    if (over.size > 0) batch.withdrawn = await queries.withdrawQuestions(trx, jobId, [...over]);
    const room = asked.length > 0 ? limits.openQuestions - (await queries.countQuestions(trx, jobId)) : 0;
    batch.questions = asked.slice(0, Math.max(0, room));
    if (batch.questions.length < asked.length) warn("questions", words.questions);
  }

  async function limitOutputs(
    trx: Db,
    job: JobRow,
    batch: Batch,
    warn: WarnOnce,
  ): Promise<Pick<Limited, "outputs" | "files" | "outputBytes">> {
    const left: Batch["outputs"] = [];
    const outputs: string[] = [];
    const files: Limited["files"] = [];
    const shown = newestOf(batch.outputs).map(withoutContent);
    if (shown.length === 0) return { outputs, files, outputBytes: job.output_bytes };
    const sizes = shown.map(
      ({ data, metadata, content }) => Buffer.byteLength(storableJson({ data, metadata })) + (content?.length ?? 0),
    );
    const needed = job.output_bytes + sizes.reduce((sum, size) => sum + size, 0) - outputBytes;
    // Otherwise a long session would run out of room.
    const freedByRuns = needed > 0 ? await queries.dropOlderOutputs(trx, job.id, newestRuns(shown), needed) : 0;
    let used = Math.max(0, job.output_bytes - freedByRuns);
    const updated = shown.filter(({ id }) => id !== undefined).map(toKey);
    const stored = updated.length > 0 ? await queries.storedBytes(trx, job.id, updated) : new Map<string, number>();
    for (const [at, output] of shown.entries()) {
      // Drop everything from the first that does not fit, so that nobody sees the third output without the second.
      if (used > outputBytes) break;
      const { data, metadata, id, content } = output;
      const bytes = sizes[at] ?? 0;
      // A replaced output frees its room.
      const freed = id === undefined ? 0 : (stored.get(nameOf(output)) ?? 0);
      used += bytes - freed;
      if (used > outputBytes) break;
      left.push(output);
      outputs.push(storableJson({ ...toKey(output), id, bytes, data, metadata }));
      if (content) files.push({ ...toKey(output), content });
    }
    if (left.length < shown.length) warn("outputs", words.outputs(outputBytes));
    batch.outputs = left;
    return { outputs, files, outputBytes: used };
  }

  return async (trx: Db, job: JobRow, batch: Batch, run: NewPoints | undefined): Promise<Limited> => {
    const warned = new Set(job.told_limits);
    const warn: WarnOnce = (limit, text) => {
      if (!warned.has(limit)) write(batch, logLevels.WARNING, Date.now(), text);
      warned.add(limit);
    };
    const shown = await limitOutputs(trx, job, batch, warn);
    if (batch.questions.length > 0 || batch.withdrawn.length > 0) await limitQuestions(trx, job.id, batch, warn);
    if (job.graph_id === null) batch.models = [];
    else if (batch.models.length > 0) await limitModels(trx, job.graph_id, batch, warn);
    const metrics = run ? await saveMetrics(trx, run.id, run.points, warn) : [];
    return { ...shown, metrics, warnedLimits: [...warned] };
  };
}

const toKey = ({ node, run, number }: Batch["outputs"][number]): OutputKey => ({ node: node ?? 0, run, number });
const nameOf = ({ node, run, number }: Batch["outputs"][number]): string => `${node ?? 0} ${run} ${number}`;

/**
 * The content of a file is stored apart, and people see what it is called and how large it is. Node code must not say so
 * itself: people would download something else.
 */
function withoutContent({ file, data, ...output }: Batch["outputs"][number]) {
  const { [outputFile.mime]: _claimed, ...shown } = data;
  if (!file) return { ...output, data: shown, content: undefined };
  const content = Buffer.from(file.content, "base64");
  const described = { name: plainName(file.name), type: file.type, size: content.length };
  return { ...output, data: { ...shown, [outputFile.mime]: described }, content };
}

/** Without folders and characters that are not seen. */
function plainName(name: string): string {
  const plain = name.replaceAll(/\p{C}/gu, "").split(/[/\\]/).at(-1)?.trim();
  return plain === undefined || /^\.{0,2}$/.test(plain) ? "file" : plain;
}

function newestRuns(outputs: Batch["outputs"]): Map<number, number> {
  const newest = new Map<number, number>();
  for (const { node, run } of outputs) newest.set(node ?? 0, Math.max(run, newest.get(node ?? 0) ?? 0));
  return newest;
}

/**
 * Of several outputs with one number, the newest with an id, otherwise the first: one statement cannot write a row
 * twice.
 */
function newestOf(outputs: Batch["outputs"]): Batch["outputs"] {
  const newest = new Map<string, Batch["outputs"][number]>();
  for (const output of outputs) {
    const name = nameOf(output);
    if (output.id !== undefined || !newest.has(name)) newest.set(name, output);
  }
  return [...newest.values()];
}

type WarnOnce = (limit: string, text: string) => void;

const words = {
  outputs: (bytes: number) =>
    `This session has shown more than ${bytes / 1e6} MB: further outputs are neither kept nor shown.`,
  questions: `${limits.openQuestions} questions of this session wait for an answer: further ones are not asked.`,
  metrics: `A model with more than ${limits.metricsMax / 1_000} kB of metrics and parameters is not kept.`,
  modelsAtOnce: `More than ${limits.modelsPerBatch} models came at once: the rest of them is not kept.`,
  models: `This workflow has ${limits.modelsPerWorkflow} models: further ones are not kept.`,
  versions: `A model has ${limits.versionsPerModel} versions: further ones are not kept.`,
};
