import { agoWords } from "@miranda/contract/words/ago-words.ts";
import { RunState, type Continuation } from "@miranda/contract/schemas/runs.ts";
import { ResultReads } from "@miranda/contract/protocol/worker.ts";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { isDeepStrictEqual } from "node:util";

import { largestResult, results as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { createResultFiles } from "./result-files.ts";
import { createResultQueries, type ResultRow } from "./results-queries.ts";
import { unchangedNodes } from "./unchanged-nodes.ts";

interface Dependencies {
  db: Db;
  graphs: Pick<Graphs, "getGraph">;
  dataFolder: string;
  settings: { resultBytes: number; diskReserveBytes: number };
}

/** The session that asks. */
export interface ResultsJob {
  id: string;
  project_id: string | null;
  graph_id: string | null;
}

/** What the worker says about a result. */
export interface GivenResult {
  key: string;
  node: number;
  run: number;
  seconds: number;
  /** So many bytes before the content are JSON of what it depends on besides its key. */
  reads: number;
}

export type Results = ReturnType<typeof createResults>;

const damaged = "Its kept result was damaged and has been removed.";

/** What nodes sent, kept for later sessions of the project. Only sessions of the project read and write it. */
export function createResults({ db, graphs, dataFolder, settings }: Dependencies) {
  const queries = createResultQueries(db);
  const files = createResultFiles(join(dataFolder, "results"), settings.diskReserveBytes);
  const largest = largestResult(settings.resultBytes);

  function projectOf(job: ResultsJob): string {
    if (job.project_id === null) throw new AppError("result_not_found");
    return job.project_id;
  }

  /** A row whose file is not what it should be: the node runs again. */
  async function forget(projectId: string, { key, sha256 }: Pick<ResultRow, "key" | "sha256">): Promise<void> {
    await queries.remove(projectId, key, sha256);
    await files.remove({ projectId, key, sha256 });
  }

  async function makeRoom(projectId: string): Promise<void> {
    const most = { bytes: settings.resultBytes, files: limits.filesPerProject };
    for (const { key, sha256 } of await queries.removeBeyond(projectId, most))
      await files.remove({ projectId, key, sha256 });
  }

  return {
    /** The largest result that is kept. 0: none. */
    largest,

    /** By key, where each result comes from; and those that were there and are damaged. */
    async find(job: ResultsJob, keys: string[]) {
      const projectId = projectOf(job);
      const found: Record<string, string> = {};
      const lost: Record<string, string> = {};
      const reads: Record<string, ResultReads> = {};
      let readsLength = 0;
      for (let at = 0; at < keys.length; at += limits.filesAtOnce) {
        const rows = await queries.find(projectId, keys.slice(at, at + limits.filesAtOnce));
        readsLength += JSON.stringify(rows.map((row) => row.reads)).length;
        // What does not fit into the answer counts as not kept.
        if (readsLength > limits.readsInAnswer) break;
        await Promise.all(
          rows.map(async (row) => {
            if (await files.hasSize({ projectId, ...row }, row.bytes)) {
              found[row.key] = wordsOf(row);
              if (row.reads !== null) reads[row.key] = row.reads;
            } else {
              lost[row.key] = damaged;
              await forget(projectId, row);
            }
          }),
        );
      }
      await queries.touch(projectId, Object.keys(found));
      return { found, lost, reads };
    },

    /** The content of a result, which was compared with its hash. */
    async read(job: ResultsJob, key: string): Promise<{ bytes: number; sha256: Buffer; content: Readable }> {
      const projectId = projectOf(job);
      const [row] = await queries.find(projectId, [key]);
      if (!row) throw new AppError("result_not_found");
      const content = await files.read({ projectId, ...row });
      if (!content) {
        await forget(projectId, row);
        throw new AppError("result_damaged");
      }
      await queries.touch(projectId, [key]);
      return { ...row, content };
    },

    /** The file first, then its row: a killed server leaves a file that nobody knows, never a row without a file. */
    async keep(job: ResultsJob, given: GivenResult, content: Readable, announced: number) {
      const { key, node, run, seconds } = given;
      const projectId = projectOf(job);
      const reads = parseReads(await takeFirst(content, given.reads));
      const [known] = await queries.find(projectId, [key]);
      // One that depends on files as they were before makes room for the newer one.
      if (known && isDeepStrictEqual(known.reads, reads)) return drain(content);
      if (known) await forget(projectId, known);
      const room = await files.takeRoom(announced - given.reads).catch(async (error: unknown) => {
        await drain(content);
        throw error;
      });
      const written = await files.write(projectId, key, content, largest).finally(room.giveBack);
      try {
        await written.keep();
        const { bytes, sha256 } = written;
        const row = { projectId, key, bytes, sha256, seconds, reads, graphId: job.graph_id, node };
        const isNew = await queries.insert(row, { jobId: job.id, number: run });
        // Another session was faster, with other bytes: its file is the one that counts.
        if (!isNew && !(await queries.known(projectId, [key])).get(key)?.equals(sha256))
          await files.remove({ projectId, key, sha256 });
        await queries.noteInRun(job.id, run, node, key);
      } finally {
        await written.drop();
      }
      await makeRoom(projectId);
    },

    /** What a new session of the workflow could continue from. */
    async findContinuation(caller: Caller, graphId: string): Promise<Continuation | null> {
      await graphs.getGraph(caller, graphId, "read");
      const content = await queries.readContent(graphId);
      if (!content) return null;
      const unchanged = unchangedNodes(content);
      // Ids are in the order of time.
      const newest = [...unchanged.values()].reduce((one, other) => (one > other ? one : other), "");
      const run = newest === "" ? undefined : await queries.findRun(newest);
      if (!run) return null;
      return {
        run_id: run.id,
        session: { id: run.job_id, tag: run.session_tag, number: run.session_number, name: run.session_name },
        time_ended: run.ended_at?.toISOString() ?? null,
        state: RunState.parse(run.state),
        kept: unchanged.size,
        nodes: content.nodes.length,
      };
    },

    /** Removes what no session has used for so many days. Its nodes run again when they are needed. */
    async removeUnusedFor(projectId: string, days: number): Promise<void> {
      for (let gone; (gone = await queries.removeUnused(projectId, days, limits.filesAtOnce)).length > 0;)
        for (const { key, sha256 } of gone) await files.remove({ projectId, key, sha256 });
    },

    /** A chore: removes files without a row, drafts of killed servers, and the files of removed projects. */
    async *sweep(): AsyncGenerator<void> {
      for (const projectId of await files.projects())
        for await (const batch of files.olderThan(projectId, limits.draftHours * 3_600_000, limits.filesAtOnce)) {
          const known = await queries.known(
            projectId,
            batch.flatMap(({ key }) => key ?? []),
          );
          for (const { path, key, part } of batch) {
            const row = key === undefined ? undefined : known.get(key);
            if (part === undefined || row?.toString("hex").startsWith(part) !== true) await rm(path, { force: true });
          }
          yield;
        }
      for (const projectId of await files.projects()) await files.removeEmpty(projectId);
    },
  };
}

/** The first bytes of a stream. The rest stays in it. */
async function takeFirst(content: Readable, count: number): Promise<string> {
  if (count === 0) return "";
  for (;;) {
    const found: unknown = content.read(count);
    if (found instanceof Buffer) return found.toString();
    if (content.readableEnded || content.destroyed) throw new AppError("invalid_body");
    await Promise.race([once(content, "readable"), finished(content).catch(() => undefined)]);
  }
}

/** Null: it depends on nothing but its key. */
function parseReads(text: string): ResultReads | null {
  if (text === "") return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError("invalid_body");
  }
  const { success, data } = ResultReads.safeParse(value);
  if (!success) throw new AppError("invalid_body");
  return Object.keys(data.environment).length + Object.keys(data.files).length > 0 ? data : null;
}

/** Reads what is not wanted. An agent whose connection is closed while it sends would never see the answer. */
async function drain(content: Readable): Promise<void> {
  content.resume();
  await finished(content).catch(() => undefined);
}

function wordsOf({ session_number, created_at }: ResultRow): string {
  const from = session_number === null ? "" : ` from session ${session_number}`;
  return `Kept${from}, ${agoWords(Date.now() - created_at.getTime())}.`;
}
