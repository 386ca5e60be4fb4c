import { comment as limits } from "@miranda/contract/limits.ts";
import { mentionsIn } from "@miranda/contract/mentions.ts";
import type {
  ReplyBody,
  Comment,
  CommentMarks,
  CommentPage,
  CommentPerson,
  CommentsQuery,
  CommentThread,
  CommentThreadPage,
  CommentThreadsQuery,
  NewThreadBody,
  SentComment,
} from "@miranda/contract/schemas/comments/comments.ts";

import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { RateLimits } from "../../platform/limits/rate-limits.ts";
import { avatarAddress } from "../auth/auth-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import { commentQueries, type CommentRow, type NewThread, type PersonRow, type ThreadRow } from "./comments-queries.ts";
import { createCommentNotifications, type Publish } from "./comment-notifications.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "accessExpression" | "memberAccess">;
  graphs: Pick<Graphs, "getGraph">;
  realtime: Pick<Realtime, "publish">;
  notifications: Pick<NotificationsFeature, "add" | "rewriteThread">;
  rateLimits: Pick<RateLimits, "take">;
  report: (error: unknown) => void;
}

export type Comments = ReturnType<typeof createComments>;

type Graph = Awaited<ReturnType<Graphs["getGraph"]>>;

interface Place {
  graph: Graph;
  /** Members comment. Who only reads a public project does not. */
  mayComment: boolean;
}

/** Threads about nodes, lines of code and runs. Everybody who reads a workflow reads them. */
export function createComments(deps: Dependencies) {
  const { db, projects, graphs, realtime, rateLimits, notifications, report } = deps;
  const queries = commentQueries(db);
  const commentNotifications = createCommentNotifications(deps);

  async function placeOf(caller: Caller, graphId: string): Promise<Place> {
    const graph = await graphs.getGraph(caller, graphId, "read");
    const mayComment = graph.access !== "viewer" || (await projects.memberAccess(caller, graph.project_id)) !== null;
    return { graph, mayComment };
  }

  async function writable(caller: Caller, graphId: string): Promise<Place> {
    const place = await placeOf(caller, graphId);
    if (!place.mayComment) throw new AppError("comment_members_only");
    return place;
  }

  /** What the caller may not read does not exist for them. */
  async function found<Row extends { graph_id: string }>(
    caller: Caller,
    row: Row | undefined,
  ): Promise<Place & { row: Row }> {
    if (!row) throw new AppError("comment_not_found");
    try {
      return { ...(await placeOf(caller, row.graph_id)), row };
    } catch (error) {
      if (error instanceof AppError && error.code === "graph_not_found") throw new AppError("comment_not_found");
      throw error;
    }
  }

  const thread = async (caller: Caller, id: string) => found(caller, await queries.findThread(id));

  async function comment(caller: Caller, id: string) {
    const row = await queries.findComment(id);
    return found(caller, row?.deleted_at ? undefined : row);
  }

  function publish({ graph_id, id: thread_id, metadata_id, run_id }: ThreadRow | NewThread): void {
    realtime.publish(graph_id, "update[COMMENTS]", { graph_id, thread_id, metadata_id, run_id });
  }

  async function publishAll(publishes: readonly Publish[]): Promise<void> {
    for (const one of publishes) await one().catch(report);
  }

  async function sent(id: string, notNotified: string[]): Promise<SentComment> {
    const row = await queries.findComment(id);
    if (!row) throw new AppError("comment_not_found");
    return { comment: toComment(row), not_notified: notNotified };
  }

  /** The comment that an earlier call with the same key stored. The answer to that call was lost. */
  async function sentBefore(caller: Caller, key: string): Promise<SentComment | undefined> {
    const row = await queries.findByKey(caller.accountId, key);
    if (!row) return undefined;
    const notified = new Set(row.mentions.map((name) => name.toLowerCase()));
    const names = namesIn(row.body);
    return { comment: toComment(row), not_notified: names.filter((name) => !notified.has(name.toLowerCase())) };
  }

  /** Notifications of a comment change with it. They have only its text, so one like another comment's stays as it is. */
  async function retell(trx: Db, { thread_id, body }: CommentRow, now: string): Promise<void> {
    if (!(await commentQueries(trx).hasText(thread_id, body)))
      await notifications.rewriteThread(trx, thread_id, body, now);
  }

  async function takeRateLimit({ accountId }: Caller): Promise<void> {
    await rateLimits.take([{ key: ["comment", accountId], most: limits.perMinute, windowMinutes: 1 }]);
  }

  async function newTarget(graphId: string, body: NewThreadBody): Promise<NewThread> {
    const { metadata_id = null, run_id = null, line = null, line_text = "", anchor, epoch = null } = body;
    const id = newId();
    const target = { id, graph_id: graphId, metadata_id, run_id, line, line_text, epoch };
    const code = { anchor: anchor === undefined ? null : Buffer.from(anchor, "base64") };
    if (run_id !== null) {
      const number = await queries.runNumber(graphId, run_id);
      if (number === undefined) throw new AppError("run_not_found");
      return { ...target, ...code, kind: "run", node_name: "", run_number: number };
    }
    const name = metadata_id === null ? undefined : await queries.nodeName(graphId, metadata_id);
    if (name === undefined) throw new AppError("node_not_found");
    return { ...target, ...code, kind: line === null ? "node" : "line", node_name: name, run_number: null };
  }

  return {
    async list(caller: Caller, graphId: string, query: CommentThreadsQuery): Promise<CommentThreadPage> {
      const place = await placeOf(caller, graphId);
      const rows = await queries.listThreads(graphId, caller.accountId, { ...query, limit: query.limit + 1 });
      const shown = rows.slice(0, query.limit);
      return {
        threads: await toThreads(db, shown, place),
        next: rows.length > query.limit ? (shown.at(-1)?.id ?? null) : null,
        may_comment: place.mayComment,
      };
    },

    async marks(caller: Caller, graphId: string): Promise<CommentMarks> {
      const { mayComment } = await placeOf(caller, graphId);
      const counts = await queries.countOpen(graphId);
      return {
        open: counts.reduce((sum, { open }) => sum + open, 0),
        may_comment: mayComment,
        nodes: counts.flatMap(({ metadata_id, open }) => (metadata_id === null ? [] : { metadata_id, open })),
      };
    },

    /** Who can be mentioned. Only for those who comment: the list has the members of the project. */
    async people(caller: Caller, graphId: string, query: string): Promise<CommentPerson[]> {
      const { graph } = await writable(caller, graphId);
      const asked = { graphId, projectId: graph.project_id, query, most: limits.peopleListed };
      return (await queries.people(asked, projects.accessExpression)).map(toPerson);
    },

    async read(caller: Caller, id: string): Promise<CommentThread> {
      const { row, ...place } = await thread(caller, id);
      const [one] = await toThreads(db, [row], place);
      if (!one) throw new AppError("comment_not_found");
      return one;
    },

    async comments(caller: Caller, id: string, { after, limit }: CommentsQuery): Promise<CommentPage> {
      await thread(caller, id);
      const rows = await queries.listComments(id, after, limit + 1);
      const shown = rows.slice(0, limit);
      return {
        comments: shown.map(toComment),
        next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      };
    },

    async add(caller: Caller, graphId: string, body: NewThreadBody): Promise<SentComment> {
      const { graph } = await writable(caller, graphId);
      const before = await sentBefore(caller, body.key);
      if (before) return this.changeSent(caller, before, body.body);
      await takeRateLimit(caller);
      const names = namesIn(body.body);
      const target = await newTarget(graphId, body);
      const id = newId();
      const made = await addWithinQuota(db, { what: "comment threads", owner: graphId }, async (trx) => {
        const inside = commentQueries(trx);
        // The same call may have come twice at once.
        if (await inside.findByKey(caller.accountId, body.key)) return undefined;
        if ((await inside.countThreads(graphId)) >= limits.threadsPerWorkflow) throw new AppError("comments_full");
        await inside.insertThread(target);
        await inside.insertComment({ ...newComment(caller, target, body), id });
        return commentNotifications.notify(trx, {
          caller,
          graph,
          target,
          comment: { id, body: body.body },
          names,
          isReply: false,
        });
      });
      if (!made) return (await sentBefore(caller, body.key)) ?? sent(id, []);
      publish(target);
      await publishAll(made.publishes);
      return sent(id, made.notNotified);
    },

    async reply(caller: Caller, threadId: string, body: ReplyBody): Promise<SentComment> {
      const { row, graph, mayComment } = await thread(caller, threadId);
      if (!mayComment) throw new AppError("comment_members_only");
      const before = await sentBefore(caller, body.key);
      if (before) return this.changeSent(caller, before, body.body);
      await takeRateLimit(caller);
      const names = namesIn(body.body);
      const id = newId();
      const made = await db.transaction().execute(async (trx) => {
        const inside = commentQueries(trx);
        const locked = await inside.lockThread(threadId);
        if (!locked) throw new AppError("comment_not_found");
        if (await inside.findByKey(caller.accountId, body.key)) return undefined;
        if (locked.comments >= limits.perThread) throw new AppError("comment_thread_full");
        await inside.insertComment({ ...newComment(caller, row, body), id });
        await inside.countReply(threadId);
        return commentNotifications.notify(trx, {
          caller,
          graph,
          target: row,
          comment: { id, body: body.body },
          names,
          isReply: true,
        });
      });
      if (!made) return (await sentBefore(caller, body.key)) ?? sent(id, []);
      publish(row);
      await publishAll(made.publishes);
      return sent(id, made.notNotified);
    },

    /** Who gets no answer may change the text and send it again. */
    async changeSent(caller: Caller, { comment, not_notified }: SentComment, body: string): Promise<SentComment> {
      return comment.body === body ? { comment, not_notified } : this.edit(caller, comment.id, body);
    },

    /** People who are mentioned now and were not before are told. */
    async edit(caller: Caller, id: string, body: string): Promise<SentComment> {
      const { row, graph, mayComment } = await comment(caller, id);
      if (!mayComment) throw new AppError("comment_members_only");
      if (row.account_id !== caller.accountId) throw new AppError("comment_not_yours");
      await takeRateLimit(caller);
      const names = namesIn(body);
      const made = await db.transaction().execute(async (trx) => {
        const inside = commentQueries(trx);
        if (!(await inside.lockThread(row.thread_id))) throw new AppError("comment_not_found");
        const target = await inside.findThread(row.thread_id);
        const now = await inside.findComment(id);
        // Deleted at the same moment: its text must not come back.
        if (!target || !now || now.deleted_at) throw new AppError("comment_not_found");
        await inside.edit(id, body);
        await retell(trx, now, body);
        const notified = await commentNotifications.notify(trx, {
          caller,
          graph,
          target,
          comment: { id, body },
          names,
          isReply: false,
        });
        return { ...notified, target };
      });
      publish(made.target);
      await publishAll(made.publishes);
      return sent(id, made.notNotified);
    },

    /** One's own, and for the owner of the project any. The last comment of a thread takes the thread with it. */
    async remove(caller: Caller, id: string): Promise<void> {
      const { row, graph, mayComment } = await comment(caller, id);
      if (!mayComment) throw new AppError("comment_members_only");
      if (row.account_id !== caller.accountId && graph.access !== "owner") throw new AppError("comment_not_yours");
      const target = await db.transaction().execute(async (trx) => {
        const inside = commentQueries(trx);
        const locked = await inside.lockThread(row.thread_id);
        const [where, now] = [await inside.findThread(row.thread_id), await inside.findComment(id)];
        if (!locked || !where || !now || now.deleted_at) throw new AppError("comment_not_found");
        if (locked.comments <= 1) await inside.removeThread(row.thread_id);
        else {
          await inside.empty(id, row.thread_id);
          await retell(trx, now, "");
        }
        return where;
      });
      publish(target);
    },

    async resolve(caller: Caller, id: string, resolved: boolean): Promise<CommentThread> {
      const { row, mayComment } = await thread(caller, id);
      if (!mayComment) throw new AppError("comment_members_only");
      if (resolved) await queries.resolve(id, caller.accountId);
      else await queries.reopen(id);
      publish(row);
      return this.read(caller, id);
    },
  };
}

/** The usernames that a text mentions, each once. */
function namesIn(body: string): string[] {
  const names = [...new Map(mentionsIn(body).map(({ username }) => [username.toLowerCase(), username])).values()];
  if (names.length > limits.mentionsMax) throw new AppError("too_many_mentions");
  return names;
}

function newComment({ accountId }: Caller, { id, graph_id }: ThreadRow | NewThread, { key, body }: ReplyBody) {
  return { thread_id: id, graph_id, account_id: accountId, key, body };
}

async function toThreads(db: Db, rows: readonly ThreadRow[], { graph, mayComment }: Place): Promise<CommentThread[]> {
  if (rows.length === 0) return [];
  const firsts = await commentQueries(db).firstComments(rows.map(({ id }) => id));
  const byThread = new Map(firsts.map((row) => [row.thread_id, row]));
  return rows.flatMap((row) => {
    const first = byThread.get(row.id);
    // Deleted between the two queries.
    if (!first) return [];
    const { id, graph_id, project_id, comments, created_at, updated_at, resolved_at, resolver, anchor, ...target } =
      row;
    return {
      ...{ id, graph_id, project_id, comments },
      target: { ...target, anchor: anchor?.toString("base64") ?? null },
      first: toComment(first),
      time_created: created_at.toISOString(),
      last_time: updated_at.toISOString(),
      resolved: resolved_at && { by: resolver, time: resolved_at.toISOString() },
      may_comment: mayComment,
      may_remove: mayComment && graph.access === "owner",
    };
  });
}

function toComment(row: CommentRow): Comment {
  const { id, thread_id, account_id, username, mentions, body } = row;
  const author =
    account_id !== null && username !== null
      ? toPerson({ ...row, id: account_id, username, first_name: row.first_name ?? "", last_name: row.last_name ?? "" })
      : null;
  return {
    ...{ id, thread_id, author, body, mentions },
    time_created: row.created_at.toISOString(),
    time_edited: row.edited_at?.toISOString() ?? null,
    deleted: row.deleted_at !== null,
  };
}

function toPerson({ id, username, first_name, last_name, avatar_version }: PersonRow): CommentPerson {
  const name = `${first_name} ${last_name}`.trim() || username;
  return { id, username, name, avatar: avatarAddress(id, avatar_version) };
}
