import { sql } from "kysely";

import type { Db } from "../database/database.ts";

export interface TakenMail {
  id: string;
  content: Buffer;
  tries: number;
}

export function createMailQueries(db: Db) {
  return {
    insert: (id: string, content: Buffer) => db.insertInto("mails").values({ id, content }).execute(),

    /** Leases what is due. A server that dies with it leaves it for another one. */
    take: async (most: number, leaseSeconds: number): Promise<TakenMail[]> => {
      const { rows } = await sql<TakenMail>`
        with taken as (select id from mails where due_at <= now() order by due_at, id limit ${most} for update skip locked)
        update mails set tries = tries + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
        from taken where mails.id = taken.id
        returning mails.id, mails.content, mails.tries`.execute(db);
      return rows;
    },

    delay: (id: string, seconds: number) =>
      db
        .updateTable("mails")
        .set({ due_at: sql<Date>`now() + make_interval(secs => ${seconds})` })
        .where("id", "=", id)
        .execute(),

    delete: (id: string) => db.deleteFrom("mails").where("id", "=", id).execute(),
  };
}
