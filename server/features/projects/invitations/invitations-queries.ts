import { invitation as limits } from "@miranda/contract/schemas/people/limits.ts";
import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type { InvitationState } from "@miranda/contract/schemas/people/invitations.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import { deleteInBatches } from "../../../platform/database/delete-batches-queries.ts";

export interface InvitationRow {
  id: string;
  project_id: string | null;
  role: MemberRole | null;
  email: string | null;
  state: InvitationState;
  inviter: string;
  used_by: string | null;
  created_at: Date;
  expires_at: Date;
}

/** An invitation that somebody has the link of. */
export interface InvitationByToken {
  id: string;
  project_id: string | null;
  role: MemberRole | null;
  email: string | null;
  state: InvitationState;
  expires_at: Date;
  inviter_id: string;
  inviter: string;
  inviter_is_admin: boolean;
  project_name: string | null;
  owner_id: string | null;
  /** Whether who made it may still invite there. */
  inviter_may_invite: boolean;
  /** Whether this is the link that was mailed: its reader reads the mails of `email`. */
  proves_address: boolean;
}

interface NewRow {
  id: string;
  token_hash: Buffer;
  mailed_token_hash: Buffer | null;
  inviter_id: string;
  project_id: string | null;
  role: MemberRole | null;
  email: string | null;
}

const state = sql<InvitationState>`case when invitations.used_at is not null then 'used'
  when invitations.withdrawn_at is not null then 'withdrawn' when invitations.expires_at <= now() then 'expired' else 'open' end`;

const isOpen = sql<SqlBool>`invitations.used_at is null and invitations.withdrawn_at is null and invitations.expires_at > now()`;

export function invitationQueries(db: Db) {
  async function list(where: RawBuilder<SqlBool>): Promise<InvitationRow[]> {
    const { rows } = await sql<InvitationRow>`
      select invitations.id, invitations.project_id, invitations.role, invitations.email, ${state} as state,
        inviter.username as inviter, person.username as used_by, invitations.created_at, invitations.expires_at
      from invitations join accounts as inviter on inviter.id = invitations.inviter_id
        left join accounts as person on person.id = invitations.used_by and person.deleted_at is null
      where ${where} order by (${isOpen}) desc, invitations.id desc limit ${limits.listed}`.execute(db);
    return rows;
  }

  return {
    ofProject: (projectId: string) => list(sql<SqlBool>`invitations.project_id = ${projectId}`),
    ofInstallation: () => list(sql<SqlBool>`invitations.project_id is null`),
    find: async (id: string) => (await list(sql<SqlBool>`invitations.id = ${id}`))[0],

    countOpen: async (projectId: string | null): Promise<number> => {
      const { count } = await db
        .selectFrom("invitations")
        .select(sql<number>`count(*)`.as("count"))
        .where("project_id", projectId === null ? "is" : "=", projectId)
        .where(isOpen)
        .executeTakeFirstOrThrow();
      return count;
    },

    insert: async (row: NewRow): Promise<void> => {
      await db
        .insertInto("invitations")
        .values({ ...row, expires_at: sql<Date>`now() + make_interval(days => ${limits.days})` })
        .execute();
    },

    /** Looks one up by the hash of its token. With `lock`, nobody else can use it until the transaction ends. */
    findByToken: async (tokenHash: Buffer, lock: boolean): Promise<InvitationByToken | undefined> => {
      const { rows } = await sql<InvitationByToken>`
        select invitations.id, invitations.project_id, invitations.role, invitations.email, ${state} as state,
          invitations.expires_at, inviter.id as inviter_id,
          coalesce(nullif(trim(inviter.first_name || ' ' || inviter.last_name), ''), inviter.username) as inviter,
          inviter.is_admin as inviter_is_admin, projects.name as project_name, projects.owner_id,
          inviter.deleted_at is null and inviter.disabled_at is null and (inviter.is_admin or coalesce(projects.owner_id = inviter.id, false))
            and (invitations.project_id is null or projects.owner_id is not null) as inviter_may_invite,
          coalesce(invitations.mailed_token_hash = ${tokenHash}, false) as proves_address
        from invitations join accounts as inviter on inviter.id = invitations.inviter_id
          left join projects on projects.id = invitations.project_id
        where invitations.token_hash = ${tokenHash} or invitations.mailed_token_hash = ${tokenHash}
        ${lock ? sql`for update of invitations` : sql``}`.execute(db);
      return rows[0];
    },

    use: async (id: string, accountId: string): Promise<void> => {
      await db
        .updateTable("invitations")
        .set({ used_at: sql<Date>`now()`, used_by: accountId })
        .where("id", "=", id)
        .execute();
    },

    /** False when it has ended already. */
    withdraw: async (id: string): Promise<boolean> => {
      const withdrawn = await db
        .updateTable("invitations")
        .set({ withdrawn_at: sql<Date>`now()` })
        .where("id", "=", id)
        .where(isOpen)
        .executeTakeFirst();
      return withdrawn.numUpdatedRows > 0n;
    },

    sweep: () =>
      deleteInBatches(db, "invitations", sql<SqlBool>`expires_at < now() - make_interval(days => ${limits.keptDays})`),
  };
}
