import { type Insertable, sql } from "kysely";

import type { ModelVersionsTable } from "../../tables/tracking-tables.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";

export type NewVersion = Omit<Insertable<ModelVersionsTable>, "model_id" | "number">;

/** What the list shows of the newest version, besides what the version says itself. */
export interface ShownOfVersion {
  authors: string[];
  job_id?: string | null;
  run?: number;
  artifact?: string | null;
}

/** The model of this name, deleted ones left out. Locked: two versions at once wait for each other. */
export async function lockModel(trx: Db, projectId: string, name: string) {
  return trx
    .selectFrom("models")
    .select(["id", "latest_version"])
    .where("project_id", "=", projectId)
    .where("name", "=", name)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

/** Makes the model of this name, unless there is one. */
export async function ensureModel(trx: Db, projectId: string, name: string): Promise<string> {
  const known = await lockModel(trx, projectId, name);
  if (known) return known.id;
  await trx
    .insertInto("models")
    .values({ id: newId(), project_id: projectId, name })
    .onConflict((conflict) => conflict.columns(["project_id", "name"]).where("deleted_at", "is", null).doNothing())
    .execute();
  const made = await lockModel(trx, projectId, name);
  if (!made) throw new Error("A model was deleted while it was made.");
  return made.id;
}

/** Inside a transaction. Adds the next version of a model, and shows it in the list. Returns its number. */
export async function createVersion(
  trx: Db,
  modelId: string,
  version: NewVersion,
  { authors, job_id = null, run = 0, artifact = null }: ShownOfVersion,
): Promise<number> {
  const { graph_id = null, node_id = null, run_id = null, metrics = "{}", hardware = [] } = version;
  const { latest_version: number } = await trx
    .updateTable("models")
    .set({
      latest_version: sql<number>`latest_version + 1`,
      // The workflow may be gone, or belong to another project by now.
      graph_id: sql<string | null>`(select id from graphs where id = ${graph_id} and project_id = models.project_id)`,
      graph_revision: sql<number | null>`(select revision from graphs where id = ${graph_id})`,
      ...{ node_id, run_id, metrics, hardware, authors, job_id, run, artifact },
      miranda_version: version.miranda_version ?? "",
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", modelId)
    .returning("latest_version")
    .executeTakeFirstOrThrow();
  await trx
    .insertInto("model_versions")
    .values({ ...version, model_id: modelId, number })
    .execute();
  return number;
}
