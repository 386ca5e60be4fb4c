import type { Db } from "../../platform/database/database.ts";

export async function findRevision(db: Db, graphId: string): Promise<number | undefined> {
  const row = await db.selectFrom("graphs").select("revision").where("id", "=", graphId).executeTakeFirst();
  return row?.revision;
}
