import { sql } from "kysely";

import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";

export interface MoveRow {
  id: string;
  alias: string;
  from_number: number | null;
  to_number: number | null;
  author: string;
  reason: string;
  moved_at: Date;
  author_id: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  avatar_version: string | null;
}

/** Who moves an alias, and why. */
interface Mover {
  accountId: string | null;
  reason: string;
}

export function aliasQueries(db: Db) {
  return {
    list: (modelId: string) =>
      db
        .selectFrom("model_aliases")
        .select(["alias", "number"])
        .where("model_id", "=", modelId)
        .orderBy("alias")
        .execute(),

    moves: async (modelId: string, { after, limit }: { after?: string | undefined; limit: number }) => {
      const { rows } = await sql<MoveRow>`
        select moves.id, moves.alias, moves.from_number, moves.to_number, moves.author, moves.reason, moves.moved_at,
          accounts.id as author_id, accounts.username, accounts.first_name, accounts.last_name, accounts.avatar_version
        from model_alias_moves as moves
          left join accounts on accounts.id = moves.account_id and accounts.deleted_at is null
        where moves.model_id = ${modelId} and (${after ?? null}::uuid is null or moves.id < ${after ?? null}::uuid)
        order by moves.id desc limit ${limit}`.execute(db);
      return rows;
    },
  };
}

/**
 * Inside a transaction that has locked the model. Sets, moves or removes (`to` is null) an alias and remembers who did
 * it. Returns where the alias was; undefined when nothing changes.
 */
export async function moveAlias(
  trx: Db,
  modelId: string,
  alias: string,
  to: number | null,
  { accountId, reason }: Mover,
): Promise<{ from: number | null } | undefined> {
  const before = await trx
    .selectFrom("model_aliases")
    .select("number")
    .where("model_id", "=", modelId)
    .where("alias", "=", alias)
    .executeTakeFirst();
  const from = before?.number ?? null;
  if (from === to) return undefined;
  if (to === null)
    await trx.deleteFrom("model_aliases").where("model_id", "=", modelId).where("alias", "=", alias).execute();
  else
    await trx
      .insertInto("model_aliases")
      .values({ model_id: modelId, alias, number: to })
      .onConflict((conflict) => conflict.columns(["model_id", "alias"]).doUpdateSet({ number: to }))
      .execute();
  await sql`
    insert into model_alias_moves (id, model_id, alias, from_number, to_number, account_id, author, reason)
    values (${newId()}, ${modelId}, ${alias}, ${from}, ${to}, ${accountId},
      coalesce((select username from accounts where id = ${accountId}), ''), ${reason})`.execute(trx);
  return { from };
}
