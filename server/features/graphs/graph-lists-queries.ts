import type { BrowseGraphsQuery } from "@miranda/contract/schemas/graphs.ts";
import { type RawBuilder, sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { contains, hasTrigram, newestSearched, searchByIndex } from "../../platform/database/name-search-queries.ts";
import type { Caller } from "../../platform/http/caller.ts";

/** The workflows of this many projects are looked up project by project. */
const projectsMax = 4_000;

const nothing = sql``;

/**
 * Finds workflows by their names and their projects' names, newest first. "offset 0" and "lateral" make PostgreSQL look
 * up a project for each workflow, or the other way round: it would join the whole tables.
 */
export function createGraphLists(db: Db) {
  const newestFirst = ({ limit }: BrowseGraphsQuery) => sql`order by graphs.id desc limit ${limit}`;
  const older = ({ after }: BrowseGraphsQuery) => (after === undefined ? nothing : sql`and graphs.id < ${after}::uuid`);
  const graphNamed = ({ query }: BrowseGraphsQuery) => contains(sql<string>`lower(graphs.name)`, query);
  const projectNamed = ({ query }: BrowseGraphsQuery) => contains(sql<string>`lower(projects.name)`, query);
  const eitherNamed = (page: BrowseGraphsQuery) =>
    page.query === "" ? nothing : sql`and (${graphNamed(page)} or ${projectNamed(page)})`;

  /** The newest workflows of each of some projects. */
  const graphsOf = (page: BrowseGraphsQuery, named: RawBuilder<unknown>) =>
    sql`lateral (select id from graphs where project_id = projects.id ${older(page)} ${named} ${newestFirst(page)}) as graphs`;

  const own = ({ accountId }: Caller, page: BrowseGraphsQuery) =>
    sql`select graphs.id from projects cross join ${graphsOf(page, eitherNamed(page))}
      where projects.owner_id = ${accountId} ${newestFirst(page)}`;

  const shared = ({ accountId }: Caller, page: BrowseGraphsQuery) =>
    sql`select graphs.id from (select distinct project_id from project_people where account_id = ${accountId}) as memberships
      cross join lateral (select id, name from projects where id = memberships.project_id
        and visibility = 'private' and owner_id <> ${accountId} offset 0) as projects
      cross join ${graphsOf(page, eitherNamed(page))} ${newestFirst(page)}`;

  /** Other people's projects that everybody may read; for administrators, all of them. */
  const isOpen = ({ accountId, isAdmin }: Caller) =>
    sql`${isAdmin ? sql`true` : sql`projects.visibility = 'public'`} and projects.owner_id <> ${accountId}`;
  const openProject = (caller: Caller) =>
    sql`lateral (select name from projects where id = graphs.project_id and ${isOpen(caller)} offset 0) as projects`;

  const open = (caller: Caller, page: BrowseGraphsQuery) =>
    sql`select graphs.id from graphs cross join ${openProject(caller)} where true ${older(page)} ${newestFirst(page)}`;

  const openAmongNewest = (caller: Caller, page: BrowseGraphsQuery) =>
    sql`select graphs.id from (
        select id, project_id, name from graphs where true ${older(page)} order by id desc limit ${newestSearched}) as graphs
      cross join ${openProject(caller)} where true ${eitherNamed(page)} ${newestFirst(page)}`;

  const openByName = (caller: Caller, page: BrowseGraphsQuery) =>
    sql`select graphs.id from graphs cross join ${openProject(caller)}
      where ${graphNamed(page)} ${older(page)} ${newestFirst(page)}`;

  const openProjects = (caller: Caller, page: BrowseGraphsQuery) =>
    sql`select id from (select id from projects where ${isOpen(caller)} and ${projectNamed(page)} offset 0) as projects
      limit ${projectsMax + 1}`;

  const openIn = (projectIds: readonly string[], page: BrowseGraphsQuery) =>
    sql`select graphs.id from unnest(${projectIds}::uuid[]) as projects(id)
      cross join ${graphsOf(page, nothing)} ${newestFirst(page)}`;

  const openByProject = (caller: Caller, page: BrowseGraphsQuery) =>
    sql`select graphs.id from graphs cross join ${openProject(caller)}
      where ${projectNamed(page)} ${older(page)} ${newestFirst(page)}`;

  const idsOf = async (db: Db, statement: RawBuilder<unknown>) =>
    (await sql<{ id: string }>`${statement}`.execute(db)).rows.map(({ id }) => id);

  async function findOpen(db: Db, caller: Caller, page: BrowseGraphsQuery): Promise<string[]> {
    if (page.query === "") return idsOf(db, open(caller, page));
    if (!hasTrigram(page.query)) return idsOf(db, openAmongNewest(caller, page));
    const named = await idsOf(db, openByName(caller, page));
    const projects = await idsOf(db, openProjects(caller, page));
    // With many projects, enough of the newest workflows are in one of them.
    const inProjects = projects.length > projectsMax ? openByProject(caller, page) : openIn(projects, page);
    return [...named, ...(await idsOf(db, inProjects))];
  }

  async function find(db: Db, caller: Caller, page: BrowseGraphsQuery): Promise<string[]> {
    const found: string[] = [];
    if (page.owned !== false) found.push(...(await idsOf(db, own(caller, page))));
    if (page.owned !== true) {
      if (!caller.isAdmin) found.push(...(await idsOf(db, shared(caller, page))));
      found.push(...(await findOpen(db, caller, page)));
    }
    return [...new Set(found)].sort().toReversed().slice(0, page.limit);
  }

  return {
    /** The ids of a page. */
    find: (caller: Caller, page: BrowseGraphsQuery): Promise<string[]> =>
      page.query === "" ? find(db, caller, page) : searchByIndex(db, (trx) => find(trx, caller, page)),
  };
}
