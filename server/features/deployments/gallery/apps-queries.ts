import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { contains } from "../../../platform/database/name-search-queries.ts";
import { isOwned, mayUse, type Who } from "../deployment-access-queries.ts";

export type AppRow = Awaited<ReturnType<AppQueries["list"]>>[number];
export type AppQueries = ReturnType<typeof appQueries>;

/** Where a page begins: the order of the last app of the page before. */
export interface AppPlace {
  order: string;
  id: string;
}

interface AppFilter {
  show: "all" | "favourites" | "recent";
  words: readonly string[];
  tag: string | undefined;
  after: AppPlace | undefined;
  limit: number;
}

const microseconds = sql<string>`to_char(deployment_marks.used_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US')`;

/** The newest call of an account that has not ended. */
const aliveCall = (accountId: string | null) => sql<string | null>`(
  select calls.id from calls where calls.account_id = ${accountId}::uuid and calls.deployment_id = deployments.id
    and calls.ended_at is null order by calls.id desc limit 1)`;

export function appQueries(db: Db) {
  return {
    /** What somebody may use and what has something to run. Cards need no forms. */
    list: (who: Who, { show, words, tag, after, limit }: AppFilter) => {
      const isRecent = show === "recent";
      const order = isRecent ? microseconds : sql<string>`lower(deployments.title)`;
      const earlier = after && sql<SqlBool>`(${order}, deployments.id) < (${after.order}, ${after.id}::uuid)`;
      const later = after && sql<SqlBool>`(${order}, deployments.id) > (${after.order}, ${after.id}::uuid)`;
      const beyond = isRecent ? earlier : later;
      let page = db
        .selectFrom("deployments")
        .innerJoin("graphs", "graphs.id", "deployments.graph_id")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .leftJoin("accounts", (join) =>
          join.onRef("accounts.id", "=", "deployments.owner_id").on("accounts.deleted_at", "is", null),
        )
        .leftJoin("deployment_marks", (join) =>
          join
            .onRef("deployment_marks.deployment_id", "=", "deployments.id")
            .on(sql<SqlBool>`deployment_marks.account_id = ${who.accountId}::uuid`),
        )
        .select([
          "deployments.id",
          "deployments.name",
          "deployments.title",
          "deployments.description",
          "deployments.tags",
          "deployments.picture_version",
          "deployments.paused",
          "deployments.production_id",
          "accounts.id as author_id",
          "accounts.username",
          "accounts.first_name",
          "accounts.last_name",
          "accounts.avatar_version",
          "deployment_marks.used_at",
          sql<boolean>`coalesce(deployment_marks.favourite, false)`.as("favourite"),
          isOwned.as("is_owned"),
          order.as("place"),
          aliveCall(who.accountId).as("alive_call"),
        ])
        .where("deployments.production_id", "is not", null)
        .where(mayUse(who));
      for (const word of words) page = page.where(contains(sql.ref("deployments.words"), word));
      if (tag !== undefined) page = page.where(sql<SqlBool>`deployments.tags @> array[${tag}]::text[]`);
      if (show === "favourites") page = page.where("deployment_marks.favourite", "=", true);
      if (isRecent) page = page.where("deployment_marks.used_at", "is not", null);
      if (beyond) page = page.where(beyond);
      return (
        isRecent
          ? page.orderBy(order, "desc").orderBy("deployments.id", "desc")
          : page.orderBy(order).orderBy("deployments.id")
      )
        .limit(limit)
        .execute();
    },

    /** The tags of what somebody may use, the most frequent first. */
    tags: async (who: Who, most: number): Promise<{ tag: string; apps: number }[]> => {
      const { rows } = await sql<{ tag: string; apps: number }>`
        select tag, count(*)::integer as apps from deployments
          join graphs on graphs.id = deployments.graph_id join projects on projects.id = graphs.project_id
          cross join lateral unnest(deployments.tags) as tag
        where deployments.production_id is not null and ${mayUse(who)}
        group by tag order by count(*) desc, tag limit ${most}`.execute(db);
      return rows;
    },

    /** What an account did with an app. */
    findMark: (accountId: string, deploymentId: string) =>
      db
        .selectFrom("deployments")
        .leftJoin("deployment_marks", (join) =>
          join
            .onRef("deployment_marks.deployment_id", "=", "deployments.id")
            .on("deployment_marks.account_id", "=", accountId),
        )
        .select(["favourite", "used_at", aliveCall(accountId).as("alive_call")])
        .where("deployments.id", "=", deploymentId)
        .executeTakeFirst(),

    setFavourite: async (accountId: string, deploymentId: string, favourite: boolean): Promise<void> => {
      await db
        .insertInto("deployment_marks")
        .values({ account_id: accountId, deployment_id: deploymentId, favourite })
        .onConflict((conflict) => conflict.columns(["account_id", "deployment_id"]).doUpdateSet({ favourite }))
        .execute();
    },
  };
}
