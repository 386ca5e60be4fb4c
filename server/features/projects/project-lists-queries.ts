import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, type RawBuilder, sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { contains, hasTrigram, newestSearched, searchByIndex } from "../../platform/database/name-search-queries.ts";
import type { Caller } from "../../platform/http/caller.ts";

/** A page of a list of projects, newest first. */
export interface ProjectPage {
  query: string;
  after?: string | undefined;
  limit: number;
}

const nothing = sql``;
const name = sql<string>`lower(projects.name)`;

/** Keeps a token of one project to it. Without this the total would count the person's other projects. */
const within = ({ onlyProject }: Caller) =>
  onlyProject === null ? nothing : sql`and projects.id = ${onlyProject}::uuid`;

/** Finds the ids of a page. Every list is read from the index that has its order, so that no page takes longer than another. */
export function createProjectLists(db: Db) {
  const newestFirst = ({ limit }: ProjectPage) => sql`order by projects.id desc limit ${limit}`;
  const older = ({ after }: ProjectPage) => (after === undefined ? nothing : sql`and projects.id < ${after}::uuid`);
  const named = ({ query }: ProjectPage) => (query === "" ? nothing : sql`and ${contains(name, query)}`);

  async function idsOf(query: string, statement: RawBuilder<unknown>): Promise<string[]> {
    const find = async (db: Db) => (await sql<{ id: string }>`${statement}`.execute(db)).rows.map(({ id }) => id);
    return query === "" ? find(db) : searchByIndex(db, find);
  }

  const merged = (lists: RawBuilder<unknown>[], page: ProjectPage) =>
    sql`select id from (${sql.join(
      lists.map((list) => sql`(${list})`),
      sql` union `,
    )}) as projects ${newestFirst(page)}`;

  /** Projects that everybody may read; for administrators, all. */
  function open(caller: Caller, page: ProjectPage, isOthers: boolean): RawBuilder<unknown> {
    const rows = caller.isAdmin ? sql`true` : sql`projects.visibility = 'public'`;
    const others = isOthers ? sql`and projects.owner_id <> ${caller.accountId}` : nothing;
    if (page.query === "")
      return sql`select id from projects where ${rows} ${others} ${older(page)} ${newestFirst(page)}`;
    const searched = hasTrigram(page.query)
      ? // "offset 0" makes PostgreSQL find the names before it sorts. It would read the newest projects one by one.
        sql`select id, owner_id from projects where ${rows} ${named(page)} offset 0`
      : sql`select id, owner_id from (
          select id, owner_id, name from projects where ${rows} ${older(page)}
          order by id desc limit ${newestSearched}) as projects where true ${named(page)}`;
    return sql`select id from (${searched}) as projects where true ${others} ${older(page)} ${newestFirst(page)}`;
  }

  const own = (caller: Caller, page: ProjectPage) =>
    sql`select id from projects where owner_id = ${caller.accountId}
      ${within(caller)} ${named(page)} ${older(page)} ${newestFirst(page)}`;

  // "lateral" and "offset 0" make PostgreSQL look up each project. It would walk through all projects by their names.
  const shared = (caller: Caller, page: ProjectPage, role: RawBuilder<unknown>) =>
    sql`select projects.id from (
        select distinct project_id from project_people where account_id = ${caller.accountId} ${role}
          ${page.after === undefined ? nothing : sql`and project_id < ${page.after}::uuid`}) as memberships
      cross join lateral (select id from projects where id = memberships.project_id
        and owner_id <> ${caller.accountId} ${named(page)} offset 0) as projects
      order by memberships.project_id desc limit ${page.limit}`;

  return {
    own: (caller: Caller, page: ProjectPage) => idsOf(page.query, own(caller, page)),

    /** Those of a person's projects that the caller may read. */
    ofPerson: (username: string, access: Expression<ProjectAccess | null>, page: ProjectPage) =>
      idsOf(
        page.query,
        sql`select projects.id from projects
          where owner_id = (select id from accounts where lower(username) = lower(${username}) and deleted_at is null)
            and ${access} is not null ${named(page)} ${older(page)} ${newestFirst(page)}`,
      ),

    followed: (caller: Caller, page: ProjectPage) =>
      idsOf(
        page.query,
        sql`select projects.id from follows
          cross join lateral (select id from projects where id = follows.project_id ${named(page)}
            and (visibility = 'public' or owner_id = ${caller.accountId} or ${caller.isAdmin}::boolean
              or exists (select 1 from project_people
                where project_id = projects.id and account_id = ${caller.accountId})) offset 0) as projects
          where follows.account_id = ${caller.accountId}
            ${page.after === undefined ? nothing : sql`and follows.project_id < ${page.after}::uuid`}
          order by follows.project_id desc limit ${page.limit}`,
      ),

    /** Other people's projects, by when they were shared. */
    shared: (caller: Caller, page: ProjectPage) => {
      const mine = sql`select project_id, max(created_at) as shared_at from project_people
        where account_id = ${caller.accountId} group by project_id`;
      const later =
        page.after === undefined
          ? nothing
          : sql`and (shared_at, mine.project_id) < (select shared_at, project_id from (${mine}) as last where project_id = ${page.after}::uuid)`;
      return idsOf(
        page.query,
        sql`select projects.id from (${mine}) as mine
          cross join lateral (select id from projects where id = mine.project_id
            and owner_id <> ${caller.accountId} ${within(caller)} ${named(page)} offset 0) as projects
          where true ${later} order by shared_at desc, mine.project_id desc limit ${page.limit}`,
      );
    },

    readable: (caller: Caller, page: ProjectPage, { withOwn }: { withOwn: boolean }) => {
      const everybodys = open(caller, page, !withOwn);
      if (caller.isAdmin) return idsOf(page.query, everybodys);
      const lists = [everybodys, shared(caller, page, nothing), ...(withOwn ? [own(caller, page)] : [])];
      return idsOf(page.query, merged(lists, page));
    },

    writable: (caller: Caller, page: ProjectPage, { withOwn }: { withOwn: boolean }) => {
      if (caller.isAdmin) return idsOf(page.query, open(caller, page, !withOwn));
      const lists = [shared(caller, page, sql`and role = 'editor'`), ...(withOwn ? [own(caller, page)] : [])];
      return idsOf(page.query, merged(lists, page));
    },
  };
}
