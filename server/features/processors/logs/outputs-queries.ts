import { outputPages, tableOutput } from "../../../limits.ts";
import { type Selectable, sql } from "kysely";

import type { JobOutputsTable } from "../../../tables/session-tables.ts";
import type { Db } from "../../../platform/database/database.ts";

type OutputRow = Omit<Selectable<JobOutputsTable>, "created_at" | "bytes">;

/** Node code may have written anything: only a list of rows is a table. */
const firstRows = sql`case when json_typeof(shown_table -> 'rows') = 'array' then json_build_object(
  'columns', shown_table -> 'columns',
  'total', shown_table -> 'total',
  'total_columns', shown_table -> 'total_columns',
  'rows', (select coalesce(json_agg(row), '[]'::json) from (
    select row from json_array_elements(shown_table -> 'rows') as row limit ${outputPages.previewRows}) as first)) end`;

export type OutputQueries = ReturnType<typeof createOutputQueries>;

/** The outputs of a session. */
export function createOutputQueries(db: Db) {
  return {
    /** The last output of each node. A large one is shortened to its first rows, or to its text. */
    last: async (jobId: string) => {
      const { rows } = await sql<OutputRow>`
        select job_id, node_id, run, number, show_id, metadata,
          case when bytes <= ${outputPages.largestPreview} then data
            else json_strip_nulls(json_build_object(
              'text/plain', left(coalesce(data ->> 'text/plain', ''), 2000),
              ${tableOutput.mime}::text, ${firstRows})) end as data
        from (select *, data -> ${tableOutput.mime} as shown_table from (
          select distinct on (node_id) * from job_outputs where job_id = ${jobId}
          order by node_id desc, run desc, number desc) as newest) as tables`.execute(db);
      return rows;
    },

    /** The outputs of each node in its last run that showed something. Oldest first, a few megabytes at a time. */
    list: async function* (jobId: string): AsyncGenerator<OutputRow[]> {
      let last: Pick<OutputRow, "run" | "node_id" | "number"> = { run: -1, node_id: 0, number: 0 };
      for (let left: number = outputPages.most; left > 0;) {
        const { rows } = await sql<OutputRow>`
          select job_id, node_id, run, number, show_id, data, metadata from (
            select *, sum(bytes) over (order by run, node_id, number) - bytes as before from (
              select * from job_outputs
              where job_id = ${jobId} and (run, node_id, number) > (${last.run}, ${last.node_id}::bigint, ${last.number})
                and run = (select max(run) from job_outputs as later
                  where later.job_id = ${jobId} and later.node_id = job_outputs.node_id)
              order by run, node_id, number limit ${left}) as rest
          ) as page where before < ${outputPages.bytesAtOnce} order by run, node_id, number`.execute(db);
        const newest = rows.at(-1);
        if (!newest) return;
        yield rows;
        last = newest;
        left -= rows.length;
      }
    },

    /** A page of one node's outputs: as many as fit into an answer, and at least one. */
    ofNode: async (jobId: string, nodeId: number, { run, after }: { run: number | undefined; after: number }) => {
      const { rows } = await sql<OutputRow>`
        select job_id, node_id, run, number, show_id, data, metadata from (
          select *, sum(bytes) over (order by number) - bytes as before from job_outputs
          where job_id = ${jobId} and node_id = ${nodeId} and number > ${after} and run = coalesce(${run ?? null}::integer,
            (select max(run) from job_outputs where job_id = ${jobId} and node_id = ${nodeId}))
        ) as page where before < ${outputPages.bytes} order by number limit ${outputPages.most}`.execute(db);
      return rows;
    },
  };
}
