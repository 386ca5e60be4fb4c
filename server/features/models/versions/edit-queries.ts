import type { PatchModelBody, PatchModelVersionBody } from "@miranda/contract/schemas/models/versions.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

const now = sql<Date>`now()`;

export function editQueries(db: Db) {
  return {
    patchModel: async (id: string, { tags, name, description }: PatchModelBody): Promise<void> => {
      if (tags === undefined && name === undefined && description === undefined) return;
      await db
        .updateTable("models")
        .set({
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description }),
          ...(tags !== undefined && { tags: JSON.stringify(tags) }),
          updated_at: now,
        })
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .execute();
    },

    patchVersion: async (
      modelId: string,
      number: number,
      { tags, description, stage }: PatchModelVersionBody,
    ): Promise<void> => {
      if (tags === undefined && stage === undefined && description === undefined) return;
      await db
        .updateTable("model_versions")
        .set({
          ...(description !== undefined && { description }),
          ...(stage !== undefined && { stage }),
          ...(tags !== undefined && { tags: JSON.stringify(tags) }),
          updated_at: now,
        })
        .where("model_id", "=", modelId)
        .where("number", "=", number)
        .where("deleted_at", "is", null)
        .execute();
    },
  };
}
