import { sql } from "kysely";

import { inTransaction } from "../../../platform/database/transactions.ts";
import type { Db } from "../../../platform/database/database.ts";
import { lockUntilCommit } from "../../../platform/limits/quota-lock-queries.ts";

export interface BucketRow {
  id: string;
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  access_key: string;
  secret_key: Buffer;
  created_at: Date;
}

type NewBucket = Omit<BucketRow, "created_at">;

export interface Removal {
  bucket_id: string;
  object: string;
  upload_id: string | null;
}

export function createBucketQueries(db: Db) {
  const columns = [
    ...(["id", "endpoint", "region", "bucket", "prefix"] as const),
    ...(["access_key", "secret_key", "created_at"] as const),
  ] as const;

  return {
    current: (projectId: string): Promise<BucketRow | undefined> =>
      db
        .selectFrom("artifact_buckets")
        .select(columns)
        .where("project_id", "=", projectId)
        .where("is_current", "=", true)
        .executeTakeFirst(),

    find: (id: string): Promise<BucketRow | undefined> =>
      db.selectFrom("artifact_buckets").select(columns).where("id", "=", id).executeTakeFirst(),

    /** A bucket of the project at the same place, in use now or earlier. */
    findSame: (projectId: string, { endpoint, bucket, prefix }: Pick<BucketRow, "endpoint" | "bucket" | "prefix">) =>
      db
        .selectFrom("artifact_buckets")
        .select(columns)
        .where("project_id", "=", projectId)
        .where("endpoint", "=", endpoint)
        .where("bucket", "=", bucket)
        .where("prefix", "=", prefix)
        .executeTakeFirst(),

    /** From now on, new files of the project go there. */
    choose: (projectId: string, row: NewBucket): Promise<void> =>
      inTransaction(db, async (trx) => {
        await lockUntilCommit(trx, `artefact bucket of ${projectId}`);
        await leave(trx, projectId);
        const { id, ...changed } = row;
        await trx
          .insertInto("artifact_buckets")
          .values({ id, ...changed, project_id: projectId, is_current: true })
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...changed, is_current: true }))
          .execute();
      }),

    leave: (projectId: string): Promise<void> => leave(db, projectId),

    /** What the project stores in all its buckets, and on the server's disk. */
    stored: async (projectId: string): Promise<{ bucket_id: string | null; bytes: number; files: number }[]> =>
      db
        .selectFrom("artifact_contents")
        .select(["bucket_id", sql<number>`sum(bytes)::bigint`.as("bytes"), sql<number>`count(*)`.as("files")])
        .where("project_id", "=", projectId)
        .groupBy("bucket_id")
        .execute(),

    /** Notes an object that is being uploaded: if the server is killed, the object is removed later. */
    expect: async (on: Db, { bucket_id, object, upload_id }: Removal, hours: number): Promise<void> => {
      const due_at = sql<Date>`now() + ${hours} * interval '1 hour'`;
      await on
        .insertInto("artifact_removals")
        .values({ bucket_id, object, upload_id, due_at })
        .onConflict((conflict) => conflict.columns(["bucket_id", "object"]).doUpdateSet({ upload_id, due_at }))
        .execute();
    },

    /** Whether an object is noted: it is until a row names it. */
    isExpected: async ({ bucket_id, object }: Pick<Removal, "bucket_id" | "object">): Promise<boolean> =>
      (await db
        .selectFrom("artifact_removals")
        .select("object")
        .where("bucket_id", "=", bucket_id)
        .where("object", "=", object)
        .executeTakeFirst()) !== undefined,

    forget: async (on: Db, { bucket_id, object }: Pick<Removal, "bucket_id" | "object">): Promise<void> => {
      await on
        .deleteFrom("artifact_removals")
        .where("bucket_id", "=", bucket_id)
        .where("object", "=", object)
        .execute();
    },

    /** Objects to remove now. It delays when they are due again, so that no other server takes them meanwhile. */
    takeDue: async (most: number, hours: number): Promise<Removal[]> => {
      const { rows } = await sql<Removal>`
        update artifact_removals as removal set due_at = now() + ${hours} * interval '1 hour'
        from (select bucket_id, object from artifact_removals where due_at <= now()
          order by due_at limit ${most} for update skip locked) as due
        where removal.bucket_id = due.bucket_id and removal.object = due.object
        returning removal.bucket_id, removal.object, removal.upload_id`.execute(db);
      return rows;
    },

    /** Forgets buckets that hold nothing of ours and get nothing more. */
    removeEmpty: async (): Promise<void> => {
      await sql`delete from artifact_buckets as bucket where (not is_current or project_id is null)
        and not exists (select from artifact_contents where bucket_id = bucket.id)
        and not exists (select from artifact_removals where bucket_id = bucket.id)`.execute(db);
    },
  };
}

async function leave(on: Db, projectId: string): Promise<void> {
  await on
    .updateTable("artifact_buckets")
    .set({ is_current: false })
    .where("project_id", "=", projectId)
    .where("is_current", "=", true)
    .execute();
}
