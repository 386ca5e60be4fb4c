import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type RawBuilder, sql } from "kysely";

import type { Caller } from "../platform/http/caller.ts";
import type { Db } from "../platform/database/database.ts";
import { mayReadTemplate } from "./template-access-queries.ts";

type AccessExpression = (caller: Caller) => RawBuilder<ProjectAccess | null>;

/** The hashes of the files that values name, in rows as JSON. */
export function filesIn(json: string): string[] {
  return [...json.matchAll(/"file":"([0-9a-f]{64})"/g)].flatMap(([, hash]) => hash ?? []);
}

/** Which files a graph may read. A hash is not secret, so it opens a file only in graphs that were given the file. */
export function graphFiles(db: Db) {
  return {
    /** For a file that was uploaded to this graph. */
    add: (graphId: string, hash: string) =>
      db
        .insertInto("graph_files")
        .values({ graph_id: graphId, hash })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),

    /**
     * Gives the graph those files that the caller uploaded or may read in a graph or a template. Returns their hashes.
     */
    async bring(
      caller: Caller,
      accessFor: AccessExpression,
      graphId: string,
      hashes: readonly string[],
    ): Promise<ReadonlySet<string>> {
      if (hashes.length === 0) return new Set();
      const { rows } = await sql<{ hash: string }>`
        with permitted as (
          select hash from node_files
          where hash = any(${hashes}::text[]) and (
            created_by = ${caller.accountId}
            or exists (
              select 1 from graph_files join graphs on graphs.id = graph_id join projects on projects.id = project_id
              where graph_files.hash = node_files.hash and ${accessFor(caller)} is not null)
            or exists (
              select 1 from template_files join templates on templates.id = template_id
              where template_files.hash = node_files.hash and ${mayReadTemplate(caller)}))
          for key share
        ), brought as (
          insert into graph_files select ${graphId}::uuid, hash from permitted on conflict do nothing
        ), renewed as (
          update node_files set unused_since = null
          where hash in (select hash from permitted) and unused_since is not null
        )
        select hash from permitted`.execute(db);
      return new Set(rows.map(({ hash }) => hash));
    },
  };
}
