import type { RunsQuery, RunState } from "@miranda/contract/schemas/runs.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, type RawBuilder, sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { contains, hasTrigram, newestSearched, searchByIndex } from "../../platform/database/name-search-queries.ts";

/** Which runs a person sees in a list of all: their own that they may still read, and those of their projects. */
export interface Viewer {
  accountId: string;
  access: Expression<ProjectAccess | null>;
}

/** `limit` is one more than a page has. `after` comes from the page before. */
export type RunFilter = Omit<RunsQuery, "limit" | "query"> & { limit: number; query: string };

const groups: Record<string, readonly RunState[]> = {
  alive: ["running", "paused"],
  bad: ["failed", "crashed", "lost"],
};

const words = sql<string>`runs.words`;
/** How many of the newest runs are looked at first, and how many more when words are found often enough among them. */
const newestLookedAt = 2_000;
const mostLookedAt = 10_000;

/** Finds the ids of a page, newest first. Each way to look has an index, so that no page takes longer than another. */
export function createRunLists(db: Db) {
  async function idsOf(query: string, statement: RawBuilder<unknown>): Promise<string[]> {
    const find = async (on: Db) => (await sql<{ id: string }>`${statement}`.execute(on)).rows.map(({ id }) => id);
    return query === "" ? find(db) : searchByIndex(db, find);
  }

  const newest = ({ limit }: RunFilter) => sql`order by runs.id desc limit ${limit}`;

  /** Of runs that the person may see by `scope`. */
  function within(filter: RunFilter, scope: RawBuilder<unknown>): RawBuilder<unknown> {
    const { query } = filter;
    const plain = sql`where ${scope} ${conditions(filter)}`;
    if (query === "") return sql`select id from runs ${plain} ${newest(filter)}`;
    const found = hasTrigram(query)
      ? // "offset 0" makes PostgreSQL find the words before it sorts. It would read the newest runs one by one.
        sql`select id from runs ${plain} and ${contains(words, query)} offset 0`
      : sql`select id from (select id, words from runs ${plain} order by id desc limit ${newestSearched}) as runs
          where ${contains(words, query)}`;
    return sql`select id from (${found}) as runs ${newest(filter)}`;
  }

  /**
   * Looks only at the newest runs of a place. PostgreSQL would find all runs with a word before it sorts them, which
   * takes long for a word that most of them have. Undefined when older runs have to be looked at.
   */
  async function amongNewest(
    filter: RunFilter,
    place: RawBuilder<unknown>,
    wanted: RawBuilder<unknown>,
  ): Promise<string[] | undefined> {
    const { query, limit } = filter;
    const named = query === "" ? sql`` : sql`and ${contains(words, query)}`;
    const look = async (on: Db, count: number) => {
      const found = await sql<{ looked: number; ids: string[] }>`with looked as materialized (
          select id, project_id, graph_id, account_id, job_id, version_id, state, words from runs
          where true ${place} order by id desc limit ${count})
        select (select count(*)::integer from looked) as looked,
          array(select id::text from looked as runs where true ${wanted} ${named} ${newest(filter)}) as ids`.execute(
        on,
      );
      const { looked = 0, ids = [] } = found.rows[0] ?? {};
      return { ids, isEnough: ids.length >= limit || looked < count };
    };
    const find = async (on: Db) => {
      const { ids, isEnough } = await look(on, newestLookedAt);
      if (isEnough) return ids;
      // Half as many again as it takes if the word is as frequent among older runs.
      const count = Math.ceil((1.5 * newestLookedAt * limit) / ids.length);
      if (query === "" || count > mostLookedAt) return undefined;
      const more = await look(on, count);
      return more.isEnough ? more.ids : undefined;
    };
    return query === "" ? find(db) : searchByIndex(db, find);
  }

  return {
    /** Of a workflow or a project that the person may read. */
    ofPlace: async (filter: RunFilter): Promise<string[]> => {
      const isSearch = filter.query !== "" && hasTrigram(filter.query);
      const recent = isSearch ? await amongNewest(filter, conditions(filter), sql``) : undefined;
      return recent ?? idsOf(filter.query, within(filter, sql`true`));
    },

    /** Of a session or a version: these have few runs, so that access is looked up for each. */
    readable: (filter: RunFilter, { access }: Viewer): Promise<string[]> =>
      idsOf(
        filter.query,
        within(filter, sql`(select ${access} from projects where projects.id = runs.project_id) is not null`),
      ),

    /** Of all projects that a person works on, and their own runs. */
    ofPerson: async (filter: RunFilter, viewer: Viewer): Promise<string[]> => {
      const { accountId } = viewer;
      const projects = sql`select id from projects where owner_id = ${accountId}
        union select project_id from project_people where account_id = ${accountId}`;
      const ownRead = sql`runs.account_id = ${accountId}
        and (select ${viewer.access} from projects where projects.id = runs.project_id) is not null`;
      const isSeen = sql`(runs.project_id in (${projects}) or (${ownRead}))`;
      // Who sees much finds a page among the newest runs of the installation. Looking into thousands of projects takes
      // longer.
      const isFew = filter.by !== undefined || filter.state === "alive";
      const wanted = sql`and ${isSeen} ${conditions(filter)}`;
      const recent = isFew ? undefined : await amongNewest(filter, range(filter), wanted);
      if (recent) return recent;
      if (filter.query !== "" || filter.by !== undefined) return idsOf(filter.query, within(filter, isSeen));
      // Two lists, each by its index, united. As one condition PostgreSQL would read every run of the installation.
      return idsOf(
        "",
        sql`select id from (
          (select id from runs where ${ownRead} ${conditions(filter)} ${newest(filter)})
          union
          (select newest.id from (${projects}) as project cross join lateral (
              select id from runs where project_id = project.id ${conditions(filter)} ${newest(filter)}) as newest
            order by newest.id desc limit ${filter.limit})
        ) as runs ${newest(filter)}`,
      );
    },
  };
}

/** What is asked for, besides words. Dates are looked for by ids, which begin with the time. */
function conditions(filter: RunFilter): RawBuilder<unknown> {
  const { project_id, graph_id, job_id, version_id, by, state } = filter;
  const given = [
    project_id === undefined ? undefined : sql`runs.project_id = ${project_id}`,
    graph_id === undefined ? undefined : sql`runs.graph_id = ${graph_id}`,
    job_id === undefined ? undefined : sql`runs.job_id = ${job_id}`,
    version_id === undefined ? undefined : sql`runs.version_id = ${version_id}`,
    by === undefined
      ? undefined
      : sql`runs.account_id = (select id from accounts where lower(username) = lower(${by}) and deleted_at is null)`,
    state === undefined ? undefined : ofState(state),
  ].filter((one) => one !== undefined);
  return given.length === 0 ? range(filter) : sql`and ${sql.join(given, sql` and `)} ${range(filter)}`;
}

/** One state by "=": only then are its runs found in order. */
function ofState(state: string): RawBuilder<unknown> {
  const group = groups[state];
  return group ? sql`runs.state = any(${group}::text[])` : sql`runs.state = ${state}`;
}

/** Which time, and which page. */
function range({ from, until, after }: RunFilter): RawBuilder<unknown> {
  const given = [
    from === undefined ? undefined : sql`runs.id >= ${firstIdAt(from)}::uuid`,
    until === undefined ? undefined : sql`runs.id < ${firstIdAt(until)}::uuid`,
    after === undefined ? undefined : sql`runs.id < ${after}::uuid`,
  ].filter((one) => one !== undefined);
  return given.length === 0 ? sql`` : sql`and ${sql.join(given, sql` and `)}`;
}

/** The lowest id that can be made at that time: a UUID of version 7 begins with the milliseconds. */
export function firstIdAt(time: string): string {
  const digits = Math.min(2 ** 48 - 1, Math.max(0, Date.parse(time)))
    .toString(16)
    .padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
