import { transfer as limits } from "@miranda/contract/schemas/people/limits.ts";
import type { TransferOffer } from "@miranda/contract/schemas/people/transfers.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

export interface OfferRow extends Omit<TransferOffer, "time_expires"> {
  from_id: string;
  to_id: string;
  expires_at: Date;
}

const person = (table: string) => sql`jsonb_build_object('username', ${sql.ref(`${table}.username`)},
  'first_name', ${sql.ref(`${table}.first_name`)}, 'last_name', ${sql.ref(`${table}.last_name`)})`;

const ofProject = sql`(select count(*) from deployments join graphs on graphs.id = deployments.graph_id
  where graphs.project_id = projects.id and deployments.owner_id = projects.owner_id)`;

/** Offers of projects to new owners. One that its owner may no longer make does not count. */
export function transferQueries(db: Db) {
  async function list(where: RawBuilder<SqlBool>): Promise<OfferRow[]> {
    const { rows } = await sql<OfferRow>`
      select jsonb_build_object('id', projects.id, 'name', projects.name) as project, offer.from_id, offer.to_id,
        ${person("old_owner")} as "from", ${person("new_owner")} as "to", ${ofProject} as deployments, offer.expires_at
      from project_transfers as offer
        join projects on projects.id = offer.project_id and projects.owner_id = offer.from_id
        join accounts as old_owner on old_owner.id = offer.from_id and old_owner.deleted_at is null
        join accounts as new_owner on new_owner.id = offer.to_id and new_owner.deleted_at is null
      where offer.expires_at > now() and ${where}
      order by offer.created_at desc, projects.id limit ${limits.listed}`.execute(db);
    return rows;
  }

  return {
    ofProject: async (projectId: string): Promise<OfferRow | undefined> =>
      (await list(sql<SqlBool>`offer.project_id = ${projectId}`))[0],

    to: (accountId: string): Promise<OfferRow[]> => list(sql<SqlBool>`offer.to_id = ${accountId}`),

    /** Replaces an earlier offer of the project, which is locked. False when the same offer is open already. */
    offer: async (projectId: string, fromId: string, toId: string): Promise<boolean> => {
      const { rows } = await sql`select 1 from project_transfers where project_id = ${projectId}
        and from_id = ${fromId} and to_id = ${toId} and expires_at > now()`.execute(db);
      await sql`insert into project_transfers (project_id, from_id, to_id, expires_at)
        values (${projectId}, ${fromId}, ${toId}, now() + make_interval(days => ${limits.days}))
        on conflict (project_id) do update set from_id = excluded.from_id, to_id = excluded.to_id,
          created_at = now(), expires_at = excluded.expires_at`.execute(db);
      return rows.length === 0;
    },

    /** Takes the offer away. Of two answers at once, one gets it. */
    take: async (projectId: string, { from_id, to_id }: Pick<OfferRow, "from_id" | "to_id">): Promise<boolean> => {
      const taken = await db
        .deleteFrom("project_transfers")
        .where("project_id", "=", projectId)
        .where("from_id", "=", from_id)
        .where("to_id", "=", to_id)
        .where("expires_at", ">", sql<Date>`now()`)
        .executeTakeFirst();
      return taken.numDeletedRows > 0n;
    },

    /** The project has a new owner, who has not made this offer. */
    forget: async (projectId: string): Promise<void> => {
      await db.deleteFrom("project_transfers").where("project_id", "=", projectId).execute();
    },

    /** The deployments that the old owner pays for. What they have spent stays in the old owner's books. */
    moveDeployments: async (projectId: string, fromId: string, toId: string): Promise<string[]> => {
      const { rows } = await sql<{ id: string }>`update deployments set owner_id = ${toId} from graphs
        where graphs.id = deployments.graph_id and graphs.project_id = ${projectId} and deployments.owner_id = ${fromId}
        returning deployments.id`.execute(db);
      return rows.map(({ id }) => id);
    },
  };
}
