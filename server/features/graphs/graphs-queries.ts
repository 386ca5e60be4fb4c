import { sql, type SqlBool } from "kysely";
import { z } from "zod";

import type { Caller } from "../../platform/http/caller.ts";
import type { GroupInsert } from "../../model/graph-inserts.ts";
import { compileOnce, type Given } from "../../platform/database/compiled-queries.ts";
import type { Db } from "../../platform/database/database.ts";
import { isAliveSql } from "../../platform/database/job-states-queries.ts";
import type { Projects } from "../projects/projects-service.ts";
import { deploymentTitles } from "../../model/deployment-titles-queries.ts";
import { mayReadTemplate } from "../../model/template-access-queries.ts";
import { filesIn, graphFiles } from "../../model/graph-files-queries.ts";
import type { GraphRoom } from "./graph-room-service.ts";

const now = sql<Date>`now()`;
const isoTime = <Text = string>(column: string) =>
  sql<Text>`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The ends of edges to be inserted. Their other columns are passed on unread. */
const EdgeRows = z.array(z.looseObject({ source: z.string(), target: z.string() }));

/** Lists of NodeInsert and EdgeInsert as JSON texts, each small enough to be one statement. */
export interface GraphRows {
  nodes: Iterable<string>;
  edges: Iterable<string>;
  groups?: readonly GroupInsert[];
}

export type GraphQueries = ReturnType<typeof createGraphQueries>;
export type NodeTextRow = Awaited<ReturnType<GraphQueries["nodeTexts"]>>[number];

export function createGraphQueries(db: Db, { accessExpression }: Pick<Projects, "accessExpression">, room: GraphRoom) {
  return {
    revision: async (id: string): Promise<number | undefined> =>
      (await db.selectFrom("graphs").select("revision").where("id", "=", id).executeTakeFirst())?.revision,

    /** With the caller's access. */
    find: compileOnce(
      db,
      (given: Given<{ id: string; accountId: string; isAdmin: boolean; onlyProject: string | null }>) =>
        db
          .selectFrom("graphs")
          .innerJoin("projects", "projects.id", "graphs.project_id")
          .select([
            "graphs.id",
            "graphs.metadata_id",
            "graphs.name",
            "graphs.description",
            "graphs.project_id",
            "graphs.revision",
            "projects.name as project_name",
            "projects.visibility",
            accessExpression(given).as("access"),
          ])
          .where("graphs.id", "=", given.id),
    ),

    countIn: async (projectId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("graphs")
        .select(sql<number>`count(*)`.as("count"))
        .where("project_id", "=", projectId)
        .executeTakeFirstOrThrow();
      return count;
    },

    insert: (row: { id: string; project_id: string; name: string; description: string; created_by: string }) =>
      db.insertInto("graphs").values(row).execute(),

    update: (id: string, change: { name?: string; description?: string }) =>
      db
        .updateTable("graphs")
        .set({ ...change, updated_at: now })
        .where("id", "=", id)
        .execute(),

    /**
     * Moves a workflow with its sessions. Its living session is locked before the workflow, as a run does it: otherwise
     * the two could wait for each other.
     */
    move: async (id: string, change: { name?: string; description?: string; project_id: string }) => {
      await db
        .selectFrom("jobs")
        .select("id")
        .where("graph_id", "=", id)
        .where(isAliveSql())
        .forNoKeyUpdate()
        .execute();
      await db
        .updateTable("graphs")
        .set({ ...change, updated_at: now })
        .where("id", "=", id)
        .execute();
      for (const table of ["jobs", "runs"] as const)
        await db.updateTable(table).set({ project_id: change.project_id }).where("graph_id", "=", id).execute();
      // Models and what was logged stay in the project whose people made them.
      for (const table of ["experiments", "models"] as const)
        await db
          .updateTable(table)
          .set({ graph_id: null })
          .where("graph_id", "=", id)
          .where("project_id", "!=", change.project_id)
          .execute();
    },

    remove: (id: string) => db.deleteFrom("graphs").where("id", "=", id).execute(),

    /** What deleting the workflow would end. */
    deployments: (id: string) => deploymentTitles(db, sql<SqlBool>`graphs.id = ${id}`),

    countNodes: async (id: string) => {
      const row = await db
        .selectFrom("nodes")
        .select([
          sql<number>`count(*)`.as("nodes"),
          sql<number | null>`max(y)`.as("bottom"),
          sql<number>`(select count(*) from jobs where graph_id = ${id} and ${isAliveSql()})`.as("processors"),
        ])
        .where("graph_id", "=", id)
        .executeTakeFirstOrThrow();
      return row;
    },

    /** Workflows of a page, in its order. */
    list: (caller: Caller, ids: readonly string[]) =>
      db
        .selectFrom("graphs")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .select([
          "graphs.id",
          "graphs.metadata_id",
          "graphs.name",
          sql<string>`left(graphs.description, 1000)`.as("description"),
          "projects.id as project_id",
          "projects.name as project_name",
        ])
        .where(sql<SqlBool>`graphs.id = any(${ids}::uuid[])`)
        .where(sql<SqlBool>`${accessExpression(caller)} is not null`)
        .orderBy("graphs.id", "desc")
        .execute(),

    nodes: (graphId: string) =>
      db.selectFrom("nodes").selectAll().where("graph_id", "=", graphId).orderBy("metadata_id").execute(),

    nodesNumbered: (graphId: string, metadataIds: readonly number[]) =>
      db
        .selectFrom("nodes")
        .selectAll()
        .where("graph_id", "=", graphId)
        .where(sql<SqlBool>`metadata_id = any(${metadataIds}::bigint[])`)
        .orderBy("metadata_id")
        .execute(),

    /** What runs changed without counting a revision, and whether secret values are set. */
    uncounted: async (graphId: string) => {
      const { rows } = await sql<{ runs: string; has_secrets: boolean }>`
        select
          md5(coalesce(string_agg(concat_ws(' ', metadata_id, status, extract(epoch from last_used_at)), ',' order by metadata_id)
            filter (where status is not null or last_used_at is not null), '')) as runs,
          coalesce(bool_or(field_values <> '{}' and api @? '$.attributes[*].control ? (@.type == "secret")'), false)
            as has_secrets
        from nodes where graph_id = ${graphId}`.execute(db);
      return { runs: rows[0]?.runs ?? "", hasSecrets: rows[0]?.has_secrets ?? false };
    },

    nodeNumbers: async (graphId: string) => {
      const nodes = db.selectFrom("nodes").select("metadata_id").where("graph_id", "=", graphId);
      return (await nodes.orderBy("metadata_id").execute()).map((row) => row.metadata_id);
    },

    /**
     * For passing on: JSON and times come as the text they are sent as. Parsing and writing thousands of them again
     * would be most of the work.
     */
    nodeTexts: (graphId: string, metadataIds: readonly number[]) =>
      db
        .selectFrom("nodes")
        .select(["metadata_id", "id", "graph_id", "class", "name", "description", "order", "x", "y", "colour"])
        .select(["source_code", "tags", "locked", "git", "git_branch", "status", "update_policy", "tag_users"])
        .select(["template_id", "template_ref", "template_version", "updated_by"])
        .select([sql<string>`api::text`.as("api"), sql<string>`field_values::text`.as("field_values")])
        .select(sql<string | null>`body::text`.as("body"))
        .select([isoTime("created_at").as("created_at"), isoTime("updated_at").as("updated_at")])
        .select(isoTime<string | null>("last_used_at").as("last_used_at"))
        .where("graph_id", "=", graphId)
        .where(sql<SqlBool>`metadata_id = any(${metadataIds}::bigint[])`)
        .orderBy("metadata_id")
        .execute(),

    edges: (graphId: string) =>
      db
        .selectFrom("edges")
        .select(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .where("graph_id", "=", graphId)
        .orderBy("created_at")
        .orderBy("source_id")
        .orderBy("target_id")
        .orderBy("transmitter")
        .orderBy("receiver")
        .execute(),

    groups: (graphId: string) =>
      db
        .selectFrom("node_groups")
        .select(["id", "lineage", "name", "colour", "collapsed", "members"])
        .where("graph_id", "=", graphId)
        .orderBy("id")
        .execute(),

    /** Newer code of the templates of a graph's linked nodes, as far as the caller may read them. */
    updates: async (graphId: string, caller: Caller) => {
      const { rows } = await sql<{ metadata_id: number; source_code: string; updated_at: Date }>`
        select nodes.metadata_id, part.node->>'source_code' as source_code, templates.updated_at
        from nodes
        join templates on templates.id = nodes.template_id and templates.version > nodes.template_version
        cross join lateral jsonb_array_elements(templates.content->'nodes') as part(node)
        where nodes.graph_id = ${graphId} and nodes.update_policy = 'linked' and ${mayReadTemplate(caller)}
          and part.node->>'ref' = nodes.template_ref and part.node->>'source_code' <> nodes.source_code`.execute(db);
      return rows;
    },

    /** The templates of a graph's nodes that the caller may read. */
    readableTemplates: async (graphId: string, caller: Caller): Promise<ReadonlySet<string>> => {
      const rows = await db
        .selectFrom("templates")
        .select("templates.id")
        .where(mayReadTemplate(caller))
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom("nodes")
              .select("nodes.metadata_id")
              .whereRef("nodes.template_id", "=", "templates.id")
              .where("nodes.graph_id", "=", graphId),
          ),
        )
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** All or nothing: a graph never holds half a file or half a copy. */
    addContent: (graphId: string, caller: Caller, rows: GraphRows, before?: (trx: Db) => Promise<void>) =>
      db.transaction().execute(async (trx) => {
        await before?.(trx);
        const { accountId } = caller;
        await sql`select set_config('miranda.account', ${accountId}, true)`.execute(trx);
        const numbers = new Map<string, number>();
        const files = new Set<string>();
        let added = 0;
        for (const json of rows.nodes) {
          const inserted = await sql<{ ref: string; metadata_id: number }>`
            with given as (
              select nextval('metadata_ids') as metadata_id, row.* from jsonb_to_recordset(${json}::jsonb) as row(
                ref text, id uuid, lineage uuid, class text, name text, description text, "order" integer, x float8, y float8,
                colour text, api jsonb, field_values jsonb, body jsonb, source_code text, tags jsonb, locked boolean,
                git text, git_branch text, update_policy text, template_id uuid, template_ref text,
                template_version integer)
            ), done as (
              insert into nodes (metadata_id, id, graph_id, lineage, class, name, description, "order", x, y, colour, api,
                field_values, body, source_code, tags, locked, git, git_branch, update_policy, template_id, template_ref,
                template_version, updated_by)
              select metadata_id, id, ${graphId}, coalesce(lineage, gen_random_uuid()), class, name, description, "order", x, y, colour, api,
                field_values, body, source_code, array(select jsonb_array_elements_text(given.tags)), locked, git,
                git_branch, update_policy, template_id, template_ref, template_version, ${accountId}
              from given
            )
            select ref, metadata_id from given`.execute(trx);
          for (const { ref, metadata_id } of inserted.rows) numbers.set(ref, metadata_id);
          for (const hash of filesIn(json)) files.add(hash);
          added += json.length;
        }
        await graphFiles(trx).bring(caller, accessExpression, graphId, [...files]);
        for (const json of rows.edges) {
          added += json.length;
          const edges = EdgeRows.parse(JSON.parse(json)).map((edge) => ({
            ...edge,
            source_id: numbers.get(edge.source),
            target_id: numbers.get(edge.target),
          }));
          await sql`
            insert into edges (graph_id, source_id, transmitter, target_id, receiver, segments, label, created_by)
            select ${graphId}, source_id, transmitter, target_id, receiver, segments, label, ${accountId}
            from jsonb_to_recordset(${JSON.stringify(edges)}::jsonb)
              as row(source_id bigint, transmitter text, target_id bigint, receiver text, segments jsonb, label text)`.execute(
            trx,
          );
        }
        for (const { members, ...group } of rows.groups ?? []) {
          const numbered = members.flatMap((ref) => numbers.get(ref) ?? []);
          await trx
            .insertInto("node_groups")
            .values({ ...group, graph_id: graphId, members: numbered })
            .execute();
        }
        const { revision } = await trx
          .updateTable("graphs")
          .set({ updated_at: now, revision: sql<number>`revision + 1` })
          .where("id", "=", graphId)
          .returning("revision")
          .executeTakeFirstOrThrow();
        // The revision is counted last, so that others need not wait while thousands of nodes are added.
        await trx
          .updateTable("node_edits")
          .set({ edited_revision: revision })
          .where("graph_id", "=", graphId)
          .where("account_id", "=", accountId)
          .where("edited_revision", "is", null)
          .where("edited_at", "is not", null)
          .execute();
        await room.refuseTooMany(trx, graphId);
        await room.refuseTooLarge(trx, graphId, added);
        return { revision, numbers };
      }),

    projectOf: async (id: string): Promise<string | undefined> =>
      (await db.selectFrom("graphs").select("project_id").where("id", "=", id).executeTakeFirst())?.project_id,

    /** Empty when it is gone. */
    nameOf: async (id: string): Promise<string> =>
      (await db.selectFrom("graphs").select("name").where("id", "=", id).executeTakeFirst())?.name ?? "",

    hasName: async (projectId: string, name: string) => {
      const row = await db
        .selectFrom("graphs")
        .select("id")
        .where("project_id", "=", projectId)
        .where("name", "=", name)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
