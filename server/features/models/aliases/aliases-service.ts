import { model as limits } from "@miranda/contract/limits.ts";
import type { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import {
  type AliasMove,
  AliasName,
  type ModelAliases,
  type PutAliasBody,
} from "@miranda/contract/schemas/models/versions.ts";

import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { authorOf } from "../../auth/auth-service.ts";
import { lockModelRow, type ModelAccess } from "../model-access.ts";
import { aliasQueries, type MoveRow } from "./aliases-queries.ts";
import { changeAlias } from "./change-alias.ts";

interface Dependencies {
  db: Db;
  access: ModelAccess;
  /** Tells people and webhooks. */
  wake: () => void;
}

export type Aliases = ReturnType<typeof createAliases>;

/** Names for versions that people move. Every move is kept, with who made it and why. */
export function createAliases({ db, access, wake }: Dependencies) {
  const queries = aliasQueries(db);
  const firstMoves = 100;

  async function read(modelId: string, { after, limit }: PageKeyQuery): Promise<ModelAliases> {
    const [aliases, moves] = await Promise.all([
      queries.list(modelId),
      queries.moves(modelId, { after, limit: limit + 1 }),
    ]);
    const shown = moves.slice(0, limit);
    return { aliases, moves: shown.map(toMove), next: moves.length > limit ? (shown.at(-1)?.id ?? null) : null };
  }

  return {
    async list(caller: Caller, modelId: string, page: PageKeyQuery): Promise<ModelAliases> {
      await access.getModel(caller, modelId, "read");
      return read(modelId, page);
    },

    async put(
      caller: Caller,
      modelId: string,
      alias: string,
      { version, reason }: PutAliasBody,
    ): Promise<ModelAliases> {
      const model = await access.getModel(caller, modelId, "write");
      const checked = AliasName.safeParse(alias);
      if (!checked.success) throw new AppError("invalid_body", checked.error.issues[0]?.message);
      await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, modelId);
        // After the lock: the version may have been thrown away meanwhile.
        const living = await trx
          .selectFrom("model_versions")
          .select("number")
          .where("model_id", "=", modelId)
          .where("number", "=", version)
          .where("deleted_at", "is", null)
          .executeTakeFirst();
        if (!living) throw new AppError("model_version_not_found");
        const known = await aliasQueries(trx).list(modelId);
        if (known.length >= limits.aliasesMax && !known.some((one) => one.alias === alias))
          throw new AppError("too_many_aliases");
        await changeAlias(trx, caller, model, { alias, to: version, reason });
      });
      wake();
      return read(modelId, { limit: firstMoves });
    },

    async remove(caller: Caller, modelId: string, alias: string, reason: string): Promise<ModelAliases> {
      const model = await access.getModel(caller, modelId, "write");
      const isMoved = await db.transaction().execute(async (trx) => {
        await lockModelRow(trx, modelId);
        return changeAlias(trx, caller, model, { alias, to: null, reason });
      });
      if (!isMoved) throw new AppError("alias_not_found");
      wake();
      return read(modelId, { limit: firstMoves });
    },
  };
}

function toMove(row: MoveRow): AliasMove {
  const { id, alias, from_number: from, to_number: to, author, reason, moved_at } = row;
  return { id, alias, from, to, author, reason, by: authorOf(row), time: moved_at.toISOString() };
}
