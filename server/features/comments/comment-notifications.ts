import type { NotificationKind } from "@miranda/contract/schemas/news/notifications.ts";

import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { commentQueries, type NewThread, type ThreadRow } from "./comments-queries.ts";

/** People in one thread who are notified about a reply. */
const readersMax = 100;

export type Publish = () => Promise<void>;

interface Dependencies {
  projects: Pick<Projects, "accessExpression">;
  notifications: Pick<NotificationsFeature, "add">;
}

interface Said {
  caller: Caller;
  graph: { name: string; project_id: string };
  target: ThreadRow | NewThread;
  comment: { id: string; body: string };
  /** The usernames in the comment. */
  names: readonly string[];
  isReply: boolean;
}

/** Notifies people about comments that mention them, and about replies in threads that they wrote in. */
export function createCommentNotifications({ projects, notifications }: Dependencies) {
  return {
    /**
     * Stores who is mentioned and how they are notified, inside a transaction. `notNotified` are the names that reach nobody:
     * whether such an account exists is not said.
     */
    async notify(
      trx: Db,
      { caller, graph, target, comment, names, isReply }: Said,
    ): Promise<{ publishes: Publish[]; notNotified: string[] }> {
      const queries = commentQueries(trx);
      const readers =
        names.length === 0 ? [] : await queries.readersNamed(graph.project_id, names, projects.accessExpression);
      const known = new Set(readers.map(({ username }) => username.toLowerCase()));
      const before = new Set(await queries.mentionedIn(comment.id));
      const mentioned = readers.map(({ id }) => id);
      await queries.setMentions(comment.id, target.id, mentioned);

      const publishes: Publish[] = [];
      const notified = new Set([caller.accountId]);
      const notifyOne = async (accountId: string, kind: NotificationKind, title: string): Promise<void> => {
        if (notified.has(accountId)) return;
        notified.add(accountId);
        const ids = { projectId: graph.project_id, threadId: target.id };
        const publish = await notifications.add(trx, { accountId, kind, title, body: comment.body, ...ids });
        if (publish) publishes.push(publish);
      };
      const where = `${targetWords(target)} of ${graph.name}`;
      for (const id of mentioned)
        if (before.has(id)) notified.add(id);
        else await notifyOne(id, "comment_mention", `${caller.username} mentioned you on ${where}`);
      if (isReply) {
        const writers = await queries.writersOf(target.id, graph.project_id, projects.accessExpression, readersMax);
        for (const id of writers)
          await notifyOne(id, "comment_reply", `${caller.username} replied to your thread on ${where}`);
      }
      return { publishes, notNotified: names.filter((name) => !known.has(name.toLowerCase())) };
    },
  };
}

function targetWords({ kind, node_name, line, run_number }: ThreadRow | NewThread): string {
  if (kind === "run") return `run ${run_number ?? ""}`.trim();
  return kind === "line" ? `${node_name}, line ${line ?? "?"}` : node_name;
}
