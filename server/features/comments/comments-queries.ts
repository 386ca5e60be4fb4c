import type { CommentTarget, CommentThreadsQuery } from "@miranda/contract/schemas/comments/comments.ts";
import { type RawBuilder, sql } from "kysely";

import { notificationStore as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { type Asker, eachAccount } from "../projects/projects-queries.ts";

/** A person's access to the project of the query, as SQL. */
type Access = (asker: Asker) => RawBuilder<unknown>;

export interface ThreadRow {
  id: string;
  graph_id: string;
  project_id: string;
  kind: CommentTarget["kind"];
  metadata_id: number | null;
  node_name: string;
  node_deleted: boolean;
  line: number | null;
  line_text: string;
  anchor: Buffer | null;
  epoch: string | null;
  run_id: string | null;
  run_number: number | null;
  comments: number;
  created_at: Date;
  updated_at: Date;
  resolved_at: Date | null;
  resolver: string | null;
}

export interface CommentRow {
  id: string;
  thread_id: string;
  graph_id: string;
  account_id: string | null;
  body: string;
  created_at: Date;
  edited_at: Date | null;
  deleted_at: Date | null;
  mentions: string[];
  /** Null when the account is deleted. */
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  avatar_version: string | null;
}

export interface PersonRow {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  avatar_version: string | null;
}

export interface NewThread {
  id: string;
  graph_id: string;
  kind: CommentTarget["kind"];
  metadata_id: number | null;
  node_name: string;
  line: number | null;
  line_text: string;
  anchor: Buffer | null;
  epoch: string | null;
  run_id: string | null;
  run_number: number | null;
}

const threads = sql`
  select t.id, t.graph_id, graphs.project_id, t.kind, t.metadata_id, coalesce(nodes.name, t.node_name) as node_name,
    t.metadata_id is not null and nodes.metadata_id is null as node_deleted, t.line, t.line_text, t.anchor, t.epoch,
    t.run_id, t.run_number, t.comments, t.created_at, t.updated_at, t.resolved_at, resolver.username as resolver
  from comment_threads as t join graphs on graphs.id = t.graph_id
    left join nodes on nodes.metadata_id = t.metadata_id and nodes.graph_id = t.graph_id
    left join accounts as resolver on resolver.id = t.resolved_by and resolver.deleted_at is null`;

const comments = sql`
  select c.id, c.thread_id, c.graph_id, c.account_id, c.body, c.created_at, c.edited_at, c.deleted_at,
    author.username, author.first_name, author.last_name, author.avatar_version,
    coalesce((select array_agg(told.username order by told.username) from comment_mentions as m
      join accounts as told on told.id = m.account_id and told.deleted_at is null
      where m.comment_id = c.id), '{}') as mentions
  from comments as c left join accounts as author on author.id = c.account_id and author.deleted_at is null`;

export function commentQueries(db: Db) {
  const one = async <Row>(query: RawBuilder<Row>): Promise<Row | undefined> => (await query.execute(db)).rows[0];

  return {
    findThread: (id: string) => one(sql<ThreadRow>`${threads} where t.id = ${id}`),

    findComment: (id: string) => one(sql<CommentRow>`${comments} where c.id = ${id}`),

    findByKey: (accountId: string, key: string) =>
      one(sql<CommentRow>`${comments} where c.account_id = ${accountId} and c.key = ${key}`),

    listThreads: async (
      graphId: string,
      accountId: string,
      { state, of, node, run, after, limit }: CommentThreadsQuery,
    ): Promise<ThreadRow[]> => {
      const wanted = [
        sql`t.graph_id = ${graphId}`,
        state === "all" ? undefined : state === "open" ? sql`t.resolved_at is null` : sql`t.resolved_at is not null`,
        node === undefined ? undefined : sql`t.metadata_id = ${node}`,
        run === undefined ? undefined : sql`t.run_id = ${run}`,
        after === undefined ? undefined : sql`t.id < ${after}`,
        of === "mine"
          ? sql`exists (select 1 from comments where thread_id = t.id and account_id = ${accountId} and deleted_at is null)`
          : of === "mentions"
            ? sql`exists (select 1 from comment_mentions where thread_id = t.id and account_id = ${accountId})`
            : undefined,
      ].filter((one) => one !== undefined);
      const { rows } = await sql<ThreadRow>`${threads} where ${sql.join(wanted, sql` and `)}
        order by t.id desc limit ${limit}`.execute(db);
      return rows;
    },

    /** The first comment of each thread. It stays when it is deleted and has replies. */
    firstComments: async (threadIds: readonly string[]): Promise<CommentRow[]> => {
      const { rows } = await sql<CommentRow>`${comments} where c.id in (
        select (select id from comments where thread_id = asked.id order by id limit 1)
        from unnest(${threadIds}::uuid[]) as asked(id))`.execute(db);
      return rows;
    },

    listComments: async (threadId: string, after: string | undefined, limit: number): Promise<CommentRow[]> => {
      const later = after === undefined ? sql`` : sql`and c.id > ${after}`;
      const { rows } = await sql<CommentRow>`${comments} where c.thread_id = ${threadId} ${later}
        order by c.id limit ${limit}`.execute(db);
      return rows;
    },

    countOpen: async (graphId: string): Promise<{ metadata_id: number | null; open: number }[]> => {
      const { rows } = await sql<{ metadata_id: number | null; open: number }>`
        select metadata_id, count(*) as open from comment_threads where graph_id = ${graphId} and resolved_at is null
        group by metadata_id`.execute(db);
      return rows;
    },

    countThreads: async (graphId: string): Promise<number> =>
      (await one(sql<{ count: number }>`select count(*) from comment_threads where graph_id = ${graphId}`))?.count ?? 0,

    nodeName: async (graphId: string, metadataId: number): Promise<string | undefined> =>
      (
        await one(
          sql<{ name: string }>`select name from nodes where graph_id = ${graphId} and metadata_id = ${metadataId}`,
        )
      )?.name,

    runNumber: async (graphId: string, runId: string): Promise<number | undefined> =>
      (await one(sql<{ number: number }>`select number from runs where graph_id = ${graphId} and id = ${runId}`))
        ?.number,

    insertThread: (row: NewThread) => db.insertInto("comment_threads").values(row).execute(),

    insertComment: (row: {
      id: string;
      thread_id: string;
      graph_id: string;
      account_id: string;
      key: string;
      body: string;
    }) => db.insertInto("comments").values(row).execute(),

    /** Nobody else replies, resolves or deletes it until the transaction ends. Undefined when it is gone. */
    lockThread: (id: string) =>
      one(sql<{ id: string; comments: number }>`select id, comments from comment_threads where id = ${id} for update`),

    countReply: (threadId: string) =>
      sql`update comment_threads set comments = comments + 1, updated_at = now() where id = ${threadId}`.execute(db),

    edit: (id: string, body: string) =>
      sql`update comments set body = ${body}, edited_at = now() where id = ${id}`.execute(db),

    /** Whether a comment of a thread has this text, as far as notifications show it. */
    hasText: async (threadId: string, body: string): Promise<boolean> =>
      (await one(sql`select from comments where thread_id = ${threadId} and deleted_at is null
        and left(btrim(body), ${limits.bodyMax - 1}) = left(btrim(${body}), ${limits.bodyMax - 1}) limit 1`)) !==
      undefined,

    /** Its place in the thread stays. */
    empty: async (id: string, threadId: string): Promise<void> => {
      await sql`delete from comment_mentions where comment_id = ${id}`.execute(db);
      await sql`update comments set body = '', deleted_at = now() where id = ${id}`.execute(db);
      await sql`update comment_threads set comments = comments - 1 where id = ${threadId}`.execute(db);
    },

    removeThread: (id: string) => db.deleteFrom("comment_threads").where("id", "=", id).execute(),

    resolve: (id: string, accountId: string) =>
      sql`update comment_threads set resolved_at = now(), resolved_by = ${accountId}
        where id = ${id} and resolved_at is null`.execute(db),

    reopen: (id: string) =>
      sql`update comment_threads set resolved_at = null, resolved_by = null where id = ${id}`.execute(db),

    setMentions: async (commentId: string, threadId: string, accountIds: readonly string[]): Promise<void> => {
      await sql`delete from comment_mentions where comment_id = ${commentId}`.execute(db);
      await sql`insert into comment_mentions (comment_id, account_id, thread_id)
        select ${commentId}, id, ${threadId} from unnest(${accountIds}::uuid[]) as told(id)`.execute(db);
    },

    mentionedIn: async (commentId: string): Promise<string[]> => {
      const { rows } = await sql<{ account_id: string }>`
        select account_id from comment_mentions where comment_id = ${commentId}`.execute(db);
      return rows.map(({ account_id }) => account_id);
    },

    /** Of these usernames, the people who may read the project. */
    readersNamed: async (
      projectId: string,
      usernames: readonly string[],
      access: Access,
    ): Promise<{ id: string; username: string }[]> => {
      const { rows } = await sql<{ id: string; username: string }>`
        select accounts.id, accounts.username from accounts join projects on projects.id = ${projectId}
        where lower(accounts.username) = any(${usernames.map((name) => name.toLowerCase())}::text[])
          and accounts.deleted_at is null and accounts.disabled_at is null
          and ${access(eachAccount)} is not null`.execute(db);
      return rows;
    },

    /** Who wrote in a thread and may still read it. */
    writersOf: async (threadId: string, projectId: string, access: Access, most: number): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`
        select distinct accounts.id from comments join accounts on accounts.id = comments.account_id
          join projects on projects.id = ${projectId}
        where comments.thread_id = ${threadId} and comments.deleted_at is null and accounts.deleted_at is null
          and accounts.disabled_at is null and ${access(eachAccount)} is not null
        order by accounts.id limit ${most}`.execute(db);
      return rows.map(({ id }) => id);
    },

    /** Members of the project, and others who wrote here, whose name or username has a word that begins like this. */
    people: async (
      { graphId, projectId, query, most }: { graphId: string; projectId: string; query: string; most: number },
      access: Access,
    ): Promise<PersonRow[]> => {
      const beginning = `${query.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      const words = sql`' ' || lower(username || ' ' || first_name || ' ' || last_name)`;
      const { rows } = await sql<PersonRow>`
        select accounts.id, username, first_name, last_name, avatar_version
        from accounts join projects on projects.id = ${projectId}
        where accounts.id in (
            select owner_id from projects where id = ${projectId}
            union select account_id from project_people where project_id = ${projectId}
            union select account_id from comments where graph_id = ${graphId})
          and accounts.deleted_at is null and accounts.disabled_at is null and (${words} like ${`% ${beginning}`})
          and ${access(eachAccount)} is not null
        order by lower(username) like ${beginning} desc, lower(username) limit ${most}`.execute(db);
      return rows;
    },
  };
}
