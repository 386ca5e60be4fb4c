import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";
import type { ModelRow } from "./registry-views.ts";

const shown = ["id", "name", "description", "tags", "created_at", "updated_at"] as const;
const now = sql<Date>`now()`;

/** A version by the id of its model. */
interface Place {
  model_id: string;
  number: number;
}

export interface NewModelRow {
  id: string;
  project_id: string;
  name: string;
  description: string;
  /** As JSON. */
  tags: string;
}

/** Changes of registered models and their versions. */
export const registryChanges = {
  insertModel: (trx: Db, values: NewModelRow): Promise<ModelRow> =>
    trx.insertInto("models").values(values).returning(shown).executeTakeFirstOrThrow(),

  /** Undefined when it was deleted meanwhile. */
  patchModel: (db: Db, id: string, change: { name?: string; description?: string }): Promise<ModelRow | undefined> =>
    db
      .updateTable("models")
      .set({ ...change, updated_at: now })
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .returning(shown)
      .executeTakeFirst(),

  setModelTag: async (db: Db, id: string, key: string, value: string): Promise<void> => {
    await sql`update models set tags = tags || jsonb_build_object(${key}::text, ${value}::text), updated_at = now()
      where id = ${id}`.execute(db);
  },

  removeModelTag: async (db: Db, id: string, key: string): Promise<void> => {
    await sql`update models set tags = tags - ${key}::text, updated_at = now() where id = ${id}`.execute(db);
  },

  describeVersion: async (db: Db, { model_id, number }: Place, description: string): Promise<void> => {
    await db
      .updateTable("model_versions")
      .set({ description, updated_at: now })
      .where("model_id", "=", model_id)
      .where("number", "=", number)
      .execute();
  },

  setStage: async (db: Db, { model_id, number }: Place, stage: string): Promise<void> => {
    await sql`update model_versions set stage = ${stage}, updated_at = now()
      where model_id = ${model_id} and number = ${number}`.execute(db);
    await sql`update models set updated_at = now() where id = ${model_id}`.execute(db);
  },

  /** The other versions of this stage. */
  archiveOthers: async (db: Db, { model_id, number }: Place, stage: string): Promise<void> => {
    await sql`update model_versions set stage = 'Archived', updated_at = now()
      where model_id = ${model_id} and number <> ${number} and stage = ${stage} and deleted_at is null`.execute(db);
  },

  setVersionTag: async (db: Db, { model_id, number }: Place, key: string, value: string): Promise<void> => {
    await sql`update model_versions set tags = tags || jsonb_build_object(${key}::text, ${value}::text)
      where model_id = ${model_id} and number = ${number}`.execute(db);
  },

  removeVersionTag: async (db: Db, { model_id, number }: Place, key: string): Promise<void> => {
    await sql`update model_versions set tags = tags - ${key}::text
      where model_id = ${model_id} and number = ${number}`.execute(db);
  },
};
