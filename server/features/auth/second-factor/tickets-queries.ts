import { sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { deleteInBatches } from "../../../platform/database/delete-batches-queries.ts";
import type { SignInTicketsTable } from "../../../tables/second-factor-tables.ts";

/** What a ticket is for. One of another kind is never accepted. */
export type TicketKind = "second_step" | "passkey_sign_in" | "passkey_step" | "passkey_add" | "passkey_reauth";

type NewTicket = Omit<SignInTicketsTable, "kind" | "tries" | "expires_at"> & { kind: TicketKind; lifetime: number };

export function createTicketQueries(db: Db) {
  return {
    insert: ({ lifetime, ...row }: NewTicket) =>
      db
        .insertInto("sign_in_tickets")
        .values({ ...row, expires_at: sql<Date>`now() + make_interval(secs => ${lifetime / 1000})` })
        .execute(),

    find: (tokenHash: Buffer, kind: TicketKind) =>
      db
        .selectFrom("sign_in_tickets")
        .selectAll()
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", kind)
        .where("expires_at", ">", sql<Date>`now()`)
        .executeTakeFirst(),

    /** Counts one try before it is checked: two at once cannot share a try. Undefined when none is left. */
    countTry: (tokenHash: Buffer, most: number) =>
      db
        .updateTable("sign_in_tickets")
        .set({ tries: sql<number>`tries + 1` })
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", "second_step")
        .where("tries", "<", most)
        .where("expires_at", ">", sql<Date>`now()`)
        .returningAll()
        .executeTakeFirst(),

    /** Of two at once, one gets the ticket. */
    take: (tokenHash: Buffer, kind: TicketKind) =>
      db
        .deleteFrom("sign_in_tickets")
        .where("token_hash", "=", tokenHash)
        .where("kind", "=", kind)
        .where("expires_at", ">", sql<Date>`now()`)
        .returningAll()
        .executeTakeFirst(),

    sweep: () => deleteInBatches(db, "sign_in_tickets", sql<SqlBool>`expires_at < now()`),
  };
}
