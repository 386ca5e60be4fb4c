import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import { sql } from "kysely";

import { releasesKept } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";

export type ReleaseView = NonNullable<Awaited<ReturnType<ReturnType<typeof releaseQueries>["find"]>>>;

/** The database or a transaction. */
export function releaseQueries(db: Db) {
  const releases = db
    .selectFrom("releases")
    .innerJoin("graph_versions", "graph_versions.id", "releases.version_id")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "releases.account_id").on("accounts.deleted_at", "is", null),
    )
    .select([
      "releases.id",
      "releases.deployment_id",
      "releases.number",
      "releases.version_id",
      "releases.form",
      "releases.note",
      "releases.created_at",
      "releases.served_at",
      "graph_versions.number as version_number",
      "graph_versions.name as version_name",
      "accounts.id as author_id",
      "accounts.username",
      "accounts.first_name",
      "accounts.last_name",
      "accounts.avatar_version",
    ]);

  return {
    find: (deploymentId: string, number: number) =>
      releases
        .where("releases.deployment_id", "=", deploymentId)
        .where("releases.number", "=", number)
        .executeTakeFirst(),

    listByIds: (ids: readonly string[]) =>
      ids.length === 0 ? Promise.resolve([]) : releases.where("releases.id", "in", ids).execute(),

    newest: (deploymentId: string) =>
      releases
        .where("releases.deployment_id", "=", deploymentId)
        .orderBy("releases.number", "desc")
        .limit(1)
        .executeTakeFirst(),

    /** Newest first. Ids are made in the order of numbers. */
    list: (deploymentId: string, { after, limit }: PageKeyQuery) => {
      const page = releases.where("releases.deployment_id", "=", deploymentId);
      return (after === undefined ? page : page.where("releases.id", "<", after))
        .orderBy("releases.id", "desc")
        .limit(limit + 1)
        .execute();
    },

    /** Releases of a deployment are made one after the other. False when it is gone. */
    lockDeployment: async (id: string): Promise<boolean> => {
      const row = await db
        .selectFrom("deployments")
        .select("id")
        .where("id", "=", id)
        .forNoKeyUpdate()
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether it still has its number. Until the transaction ends, nobody can delete it. */
    holdVersion: async (id: string): Promise<boolean> => {
      const row = await db
        .selectFrom("graph_versions")
        .select("id")
        .where("id", "=", id)
        .where("number", "is not", null)
        .forKeyShare()
        .executeTakeFirst();
      return row !== undefined;
    },

    insert: async (release: {
      id: string;
      deployment_id: string;
      version_id: string;
      form: ReleaseForm;
      note: string;
      account_id: string;
    }): Promise<number> => {
      const { number } = await db
        .insertInto("releases")
        .values({
          ...release,
          form: JSON.stringify(release.form),
          number: sql<number>`(select coalesce(max(number), 0) + 1 from releases where deployment_id = ${release.deployment_id})`,
        })
        .returning("number")
        .executeTakeFirstOrThrow();
      return number;
    },

    /** Those that nobody will miss: old, in no channel, and never called. */
    dropUnused: async (deploymentId: string): Promise<void> => {
      await sql`
        delete from releases using deployments
        where deployments.id = ${deploymentId} and releases.deployment_id = deployments.id
          and releases.number <= (select max(number) from releases as newest where newest.deployment_id = deployments.id)
            - ${releasesKept}::integer
          and releases.id is distinct from production_id and releases.id is distinct from staging_id
          and not exists (select from calls where calls.release_id = releases.id)
          and not exists (select from jobs where jobs.release_id = releases.id)`.execute(db);
    },

    /** Points a channel to a release, or to nothing: one update, so that every call sees either the old or the new one. */
    serve: async (deploymentId: string, channel: Channel, releaseId: string | null): Promise<void> => {
      const column = sql.ref(channel === "production" ? "production_id" : "staging_id");
      const isServed = channel === "production" && releaseId !== null;
      await sql`
        with served as (
          update releases set served_at = now() where id = ${releaseId}::uuid and ${isServed}::boolean
        )
        update deployments set ${column} = ${releaseId}::uuid, changed_at = now() where id = ${deploymentId}`.execute(
        db,
      );
    },
  };
}
