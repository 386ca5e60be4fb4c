import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, type RawBuilder, sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { contains, hasTrigram } from "../../platform/database/name-search-queries.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { mayUse } from "../deployments/deployment-access-queries.ts";

export interface Search {
  caller: Caller;
  /** The caller's access to `projects`. */
  access: Expression<ProjectAccess | null>;
  query: string;
  limit: number;
}

interface NodeRow {
  metadata_id: number;
  name: string;
  graph_id: string;
  graph_name: string;
  project_id: string;
}

interface ModelRow {
  id: string;
  name: string;
  project_name: string;
}

interface PersonRow {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  avatar_version: string | null;
}

interface DeploymentRow {
  id: string;
  name: string;
  title: string;
  project_id: string;
  graph_id: string;
  is_readable: boolean;
}

// When a word is frequent, only some of what has it is searched. A person's own is always searched.
const lookedAt = 500;
const peopleLookedAt = 200;
const ownGraphs = 200;
const ownProjects = 400;

/** Ends a search after this time, whatever it has found. */
export async function boundTime(trx: Db, milliseconds: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${String(milliseconds)}, true)`.execute(trx);
}

/** The projects of a person, the newest first. */
const own = ({ accountId }: Caller) => sql`select id from (
    select id from projects where owner_id = ${accountId}
    union select project_id from project_people where account_id = ${accountId}) as projects
  order by id desc limit ${ownProjects}`;

const isReadable = ({ access }: Search) => sql`(projects.visibility = 'public' or ${access} is not null)
  and projects.owner_id is not null`;

/** The names by which a person is found. The index has the same expression. */
const personWords = sql<string>`person_words(accounts.username, accounts.first_name, accounts.last_name)`;

/** Finds by parts of names, within a transaction of `searchByIndex`. Text without three letters finds only own things. */
export function createSearchQueries(trx: Db) {
  const rowsOf = async <Row>(statement: RawBuilder<Row>) => (await statement.execute(trx)).rows;

  return {
    /** "offset 0" and "lateral" make PostgreSQL look up each row. Otherwise it would join whole tables. */
    nodes: (search: Search) => {
      const { caller, query, limit } = search;
      const named = contains(sql<string>`lower(nodes.name)`, query);
      const ofOwn = sql`select nodes.metadata_id, nodes.graph_id, nodes.name, true as is_own from (
          select graphs.id from (${own(caller)}) as projects
          cross join lateral (select id from graphs where project_id = projects.id order by id desc limit ${ownGraphs}) as graphs
          order by graphs.id desc limit ${ownGraphs}) as graphs
        cross join lateral (select metadata_id, graph_id, name from nodes where graph_id = graphs.id and ${named}
          offset 0) as nodes`;
      const ofAll = sql`select metadata_id, graph_id, name, false as is_own from nodes where ${named} limit ${lookedAt}`;
      const found = hasTrigram(query) ? sql`(${ofOwn}) union all (${ofAll})` : ofOwn;
      return rowsOf(sql<NodeRow>`
        select nodes.metadata_id, min(nodes.name) as name, min(graphs.id::text) as graph_id,
          min(graphs.name) as graph_name, min(graphs.project_id::text) as project_id
        from (${found}) as nodes
        cross join lateral (select graphs.id, graphs.name, graphs.project_id
          from graphs join projects on projects.id = graphs.project_id
          where graphs.id = nodes.graph_id and ${isReadable(search)} offset 0) as graphs
        group by nodes.metadata_id
        order by bool_or(nodes.is_own) desc, nodes.metadata_id desc limit ${limit}`);
    },

    models: (search: Search) => {
      const { caller, query, limit } = search;
      const named = sql`${contains(sql<string>`lower(models.name)`, query)} and models.deleted_at is null`;
      const ofOwn = sql`select models.id, models.project_id, models.name, true as is_own
        from (${own(caller)}) as projects cross join lateral (
          select id, project_id, name from models where project_id = projects.id and ${named} offset 0) as models`;
      const ofAll = sql`select id, project_id, name, false as is_own from models where ${named} limit ${lookedAt}`;
      const found = hasTrigram(query) ? sql`(${ofOwn}) union all (${ofAll})` : ofOwn;
      return rowsOf(sql<ModelRow>`
        select models.id, min(models.name) as name, min(projects.name) as project_name
        from (${found}) as models
        cross join lateral (select name from projects where id = models.project_id and ${isReadable(search)}
          offset 0) as projects
        group by models.id order by bool_or(models.is_own) desc, models.id desc limit ${limit}`);
    },

    /** Only people with a project that the caller may read, or who share one with the caller. Never by their e-mail. */
    people: async (search: Search) => {
      const { caller, query, limit } = search;
      if (!hasTrigram(query)) return [];
      return rowsOf(sql<PersonRow>`
        select accounts.id, username, first_name, last_name, avatar_version from (
          select id, username, first_name, last_name, avatar_version from accounts
          where deleted_at is null and ${contains(personWords, query)} limit ${peopleLookedAt}) as accounts
        where accounts.id = ${caller.accountId} or ${caller.isAdmin}::boolean
          or exists (select from projects where owner_id = accounts.id and ${isReadable(search)})
          or exists (select from project_people where account_id = accounts.id and project_id in (${own(caller)}))
        order by lower(username) limit ${limit}`);
    },

    /** What the caller may use, and what belongs to a project that the caller may read. */
    deployments: async (search: Search) => {
      const { caller, query, limit } = search;
      if (!hasTrigram(query)) return [];
      return rowsOf(sql<DeploymentRow>`
        select deployments.id, deployments.name, deployments.title, graphs.project_id, graphs.id as graph_id,
          (${isReadable(search)}) as is_readable
        from (select id, name, title, graph_id, access, link, production_id from deployments
          where ${contains(sql<string>`deployments.words`, query)} order by id desc limit ${lookedAt}) as deployments
        join graphs on graphs.id = deployments.graph_id join projects on projects.id = graphs.project_id
        where (deployments.production_id is not null and ${mayUse(caller)}) or (${isReadable(search)})
        order by lower(deployments.title), deployments.id limit ${limit}`);
    },
  };
}
