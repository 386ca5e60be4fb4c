import type { PeopleQuery } from "@miranda/contract/schemas/account/people.ts";
import { sql, type Updateable } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import { contains } from "../../../platform/database/name-search-queries.ts";
import type { AccountsTable } from "../../../tables/tables.ts";

const now = sql<Date>`now()`;
/** What people search in. */
const names = sql<string>`lower(concat_ws(' ', first_name, last_name, username, email))`;

export type PersonRow = NonNullable<Awaited<ReturnType<ReturnType<typeof peopleQueries>["find"]>>>;

/** The database or a transaction. */
export type AccountChange = Updateable<AccountsTable>;

export function peopleQueries(db: Db) {
  const people = db
    .selectFrom("accounts")
    .select(["id", "username", "first_name", "last_name", "email", "avatar_version", "is_admin", "disabled_at"])
    .select(["last_seen_at", "created_at", "credits", "trial", "trial_end", "subscribed", "has_second_factor"])
    .select(["quotas", "admin_version"])
    .select((eb) =>
      eb
        .selectFrom("projects")
        .select(sql<number>`count(*)::int`.as("count"))
        .whereRef("projects.owner_id", "=", "accounts.id")
        .$asScalar()
        .$notNull()
        .as("projects"),
    )
    .select((eb) =>
      eb
        .selectFrom("jobs")
        .select(sql<number>`count(*)::int`.as("count"))
        .whereRef("jobs.account_id", "=", "accounts.id")
        .where(isAliveSql())
        .$asScalar()
        .$notNull()
        .as("running"),
    )
    .where("deleted_at", "is", null);

  return {
    find: (id: string) => people.where("accounts.id", "=", id).executeTakeFirst(),

    list: ({ query, kind, after, limit }: PeopleQuery) =>
      people
        .$if(query !== "", (list) => list.where(contains(names, query)))
        .$if(kind === "admins", (list) => list.where("is_admin", "=", true))
        .$if(kind === "disabled", (list) => list.where("disabled_at", "is not", null))
        .$if(after !== undefined, (list) => list.where("accounts.id", "<", after ?? ""))
        .orderBy("accounts.id", "desc")
        .limit(limit)
        .execute(),

    /** Until the transaction ends nobody else changes the account. */
    lock: (id: string) =>
      db
        .selectFrom("accounts")
        .select(["id", "username", "is_admin", "disabled_at", "admin_version"])
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .forNoKeyUpdate()
        .executeTakeFirst(),

    change: async (id: string, change: AccountChange): Promise<void> => {
      await db
        .updateTable("accounts")
        .set({ ...change, admin_version: sql<number>`admin_version + 1`, updated_at: now })
        .where("id", "=", id)
        .execute();
    },

    endPasswordLinks: async (id: string): Promise<void> => {
      await db.deleteFrom("password_links").where("account_id", "=", id).execute();
    },
  };
}
