import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { TemplateCode } from "@miranda/contract/schemas/library/templates.ts";
import { type Expression, type Selectable, sql, type SqlBool } from "kysely";

import type { TemplatesTable } from "../../tables/template-tables.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { mayReadTemplate } from "../../model/template-access-queries.ts";

type OwnRow = Omit<Selectable<TemplatesTable>, "content"> & { used_nodes: number; used_workflows: number };

interface UseRow {
  id: string;
  name: string;
  project_id: string;
  project_name: string;
  nodes: number;
  oldest_version: number;
}

const runsLookedAt = 100;

/** Versions of templates, and where templates are used. */
export function createTemplateVersionQueries(db: Db) {
  return {
    findReadable: (caller: Caller, id: string) =>
      db
        .selectFrom("templates")
        .select(["id", "owner_id"])
        .where("id", "=", id)
        .where(mayReadTemplate(caller))
        .executeTakeFirst(),

    owned: async (accountId: string): Promise<OwnRow[]> => {
      const { rows } = await sql<OwnRow>`
        select templates.id, kind, library_key, owner_id, public, name, description, tags, version, node_count, edge_count,
          withdrawn, created_at, updated_at, used.nodes as used_nodes, used.workflows as used_workflows
        from templates cross join lateral (
          select count(*)::integer as nodes, count(distinct graph_id)::integer as workflows
          from nodes where template_id = templates.id and update_policy = 'linked') as used
        where owner_id = ${accountId} order by lower(name), id`.execute(db);
      return rows;
    },

    /** The versions after a version, newest first. `seesAll`: also what was published in private. */
    versions: (id: string, seesAll: boolean, after = 0) =>
      db
        .selectFrom("template_versions")
        .leftJoin("accounts", (join) =>
          join.onRef("accounts.id", "=", "template_versions.account_id").on("accounts.deleted_at", "is", null),
        )
        .select(["template_versions.version", "changes", "published_at", "accounts.username"])
        .where("template_id", "=", id)
        .where("template_versions.version", ">", after)
        .$if(!seesAll, (rows) => rows.where("is_public", "=", true))
        .orderBy("template_versions.version", "desc")
        .execute(),

    code: async (id: string, version: number, seesAll: boolean): Promise<TemplateCode["nodes"] | undefined> => {
      const row = await db
        .selectFrom("template_versions")
        .select("code")
        .where("template_id", "=", id)
        .where("version", "=", version)
        .$if(!seesAll, (rows) => rows.where("is_public", "=", true))
        .$castTo<{ code: TemplateCode["nodes"] }>()
        .executeTakeFirst();
      return row?.code;
    },

    /** The workflows that use a template and that the caller may read, and how many use it in all. */
    uses: async (id: string, access: Expression<ProjectAccess | null>, limit: number) => {
      const { rows } = await sql<UseRow>`
        select graphs.id, graphs.name, projects.id as project_id, projects.name as project_name, used.nodes, used.oldest_version
        from (select graph_id, count(*)::integer as nodes, min(template_version)::integer as oldest_version
          from nodes where template_id = ${id} and update_policy = 'linked' group by graph_id) as used
        join graphs on graphs.id = used.graph_id join projects on projects.id = graphs.project_id
        where ${access} is not null order by used.oldest_version, graphs.id desc limit ${limit}`.execute(db);
      const { count } = await db
        .selectFrom("nodes")
        .select(sql<number>`count(distinct graph_id)::integer`.as("count"))
        .where("template_id", "=", id)
        .where("update_policy", "=", "linked")
        .executeTakeFirstOrThrow();
      return { rows, count };
    },

    /** The ports of a node that edges use, once for each edge. */
    usedPorts: async (metadataId: number): Promise<{ name: string; is_source: boolean }[]> => {
      const { rows } = await sql<{ name: string; is_source: boolean }>`
        select transmitter as name, true as is_source from edges where source_id = ${metadataId}
        union all select receiver, false from edges where target_id = ${metadataId}`.execute(db);
      return rows;
    },

    /** The newest ended run in which the node ran, without trials. */
    lastRun: async (metadataId: number, graphId: string): Promise<string | undefined> => {
      const { rows } = await sql<{ id: string }>`
        select runs.id from (select id from runs where graph_id = ${graphId} and ended_at is not null and trial is null
          order by id desc limit ${runsLookedAt}) as runs
        where exists (select from run_nodes where run_id = runs.id and node_id = ${metadataId} and fires > 0)
        order by runs.id desc limit 1`.execute(db);
      return rows[0]?.id;
    },

    /** The code of the other nodes of a workflow that declares packages. */
    codeWithPackages: (graphId: string, metadataId: number) =>
      db
        .selectFrom("nodes")
        .select(["name", "source_code"])
        .where("graph_id", "=", graphId)
        .where("metadata_id", "<>", metadataId)
        .where(sql<SqlBool>`source_code like '%# /// script%'`)
        .execute(),
  };
}
