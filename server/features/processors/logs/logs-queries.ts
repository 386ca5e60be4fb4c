import { logLevels } from "@miranda/contract/limits.ts";
import type { LogEntry, LogsQuery } from "@miranda/contract/schemas/processors.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { createTurns } from "../../../platform/time-slicing.ts";
import { after, before, shorten, type StoredEntry, toLogEntry } from "./log-entries.ts";

const defaultLines = 10_000;
const tailChunks = 4;
// How much is read at once, unless a single chunk is larger. Other requests wait while it is parsed and written.
const bytesAtOnce = 500_000;
const chunksAtOnce = 200;

type Job = { id: string; last_line: number; cut_line: number };

export function createLogQueries(db: Db) {
  /**
   * The last lines of a log, or the last before a number, or those after one. A shortened log says so at its beginning.
   * A few chunks at a time: a whole log may need too much memory, and other requests would wait for too long.
   */
  async function* read(job: Job, query: LogsQuery): AsyncGenerator<LogEntry[]> {
    const { after: from, before: until, log_lines, log_max_length } = query;
    const most = log_lines ?? (from === undefined ? defaultLines : undefined);
    const end = Math.min(until ?? Number.POSITIVE_INFINITY, job.last_line + 1);
    const start = Math.max(from ?? 0, most === undefined ? 0 : end - 1 - most);
    if (start >= end - 1 || end - 1 <= job.cut_line) return;
    if (start < job.cut_line) yield [shorten(toLogEntry(cutEntry(job.cut_line)), log_max_length)];
    const turns = createTurns();
    for (let next = await firstChunk(job.id, start + 1); next < end;) {
      const rows = await chunksFrom(job.id, next, end);
      for (const { entries } of rows) {
        await turns.next();
        yield tailOf(entries, start)
          .map((entry) => before(entry, end))
          .filter((entry) => entry !== undefined)
          .map((entry) => shorten(toLogEntry(entry), log_max_length));
      }
      const last = rows.at(-1);
      if (!last) return;
      next = last.first_line + last.lines;
    }
  }

  /** The first line of the chunk that has this line. */
  async function firstChunk(jobId: string, line: number): Promise<number> {
    const { first } = await db
      .selectFrom("log_chunks")
      .select(sql<number | null>`max(first_line)`.as("first"))
      .where("job_id", "=", jobId)
      .where("first_line", "<=", line)
      .executeTakeFirstOrThrow();
    return first ?? 0;
  }

  const chunksFrom = (jobId: string, first: number, end: number) =>
    db
      .selectFrom((inner) =>
        inner
          .selectFrom(
            inner
              .selectFrom("log_chunks")
              .select(["first_line", "lines", "bytes", "entries"])
              .where("job_id", "=", jobId)
              .where("first_line", ">=", first)
              .where("first_line", "<", end)
              .orderBy("first_line")
              .limit(chunksAtOnce)
              .as("next"),
          )
          .select(["first_line", "lines", "entries"])
          .select(sql<number>`sum(bytes) over (order by first_line) - bytes`.as("bytes_before"))
          .as("sized"),
      )
      .select(["first_line", "lines", "entries"])
      .where("bytes_before", "<", bytesAtOnce)
      .orderBy("first_line")
      .execute();

  /** The last few lines of many jobs at once, for lists. */
  async function tails(jobs: Job[], { log_lines, log_max_length }: LogsQuery): Promise<Map<string, LogEntry[]>> {
    if (log_lines === 0 || jobs.length === 0) return new Map();
    const lines = log_lines ?? 1;
    const rows = await sql<{ job_id: string; entries: string }>`
      select listed.id as job_id, chunk.entries from unnest(${jobs.map(({ id }) => id)}::uuid[]) as listed(id)
      cross join lateral (select entries, first_line from log_chunks where job_id = listed.id
        order by first_line desc limit ${lines > 100 ? tailChunks * 4 : tailChunks}) as chunk
      order by listed.id, chunk.first_line`.execute(db);
    const found = new Map<string, LogEntry[]>();
    const byJob = Map.groupBy(rows.rows, ({ job_id }) => job_id);
    for (const job of jobs) {
      const stored = (byJob.get(job.id) ?? []).flatMap((row) => tailOf(row.entries, job.last_line - lines));
      found.set(
        job.id,
        stored.map((entry) => shorten(toLogEntry(entry), log_max_length)),
      );
    }
    return found;
  }

  return {
    read,
    tails,

    append: (trx: Db, jobId: string, entries: StoredEntry[], bytes: number) => {
      const first = entries[0];
      const last = entries.at(-1);
      if (!first || !last) return undefined;
      return trx
        .insertInto("log_chunks")
        .values({
          job_id: jobId,
          first_line: first[0],
          lines: last[0] + last[1] - first[0],
          bytes,
          entries: JSON.stringify(entries),
        })
        .execute();
    },

    /** Drops the oldest lines until the log fits. Returns the remaining bytes and the last dropped line. */
    cut: async (trx: Db, jobId: string, excess: number): Promise<{ bytes: number; line: number }> => {
      const result = await sql<{ bytes: number; line: number }>`
        with sized as (
          select first_line, lines, bytes, sum(bytes) over (order by first_line) as upto
          from log_chunks where job_id = ${jobId}
        ), gone as (
          delete from log_chunks where job_id = ${jobId}
            and first_line in (select first_line from sized where upto - bytes < ${excess})
            and first_line < (select max(first_line) from sized) returning first_line, lines, bytes
        )
        select coalesce(sum(bytes), 0) as bytes, coalesce(max(first_line + lines - 1), 0) as line from gone`.execute(
        trx,
      );
      return result.rows[0] ?? { bytes: 0, line: 0 };
    },
  };
}

export type LogQueries = ReturnType<typeof createLogQueries>;

function tailOf(entries: string, line: number): StoredEntry[] {
  // Not checked: a log has tens of thousands of entries, and only `append` writes them.
  const stored: StoredEntry[] = JSON.parse(entries);
  return stored.map((entry) => after(entry, line)).filter((entry) => entry !== undefined);
}

function cutEntry(line: number): StoredEntry {
  return [line, 1, logLevels.WARNING, Date.now(), `${line} lines were cut here: the log of a session is limited.`];
}
