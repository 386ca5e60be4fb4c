import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { type Expression, sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

export interface TrashRow {
  id: string;
  name: string;
  project_id: string;
  project_name: string;
  number: number | null;
  versions: number;
  deleted_at: Date;
  removed_at: Date;
  author_id: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  avatar_version: string | null;
  access: ProjectAccess;
}

/** Which part of the trash. */
interface Place {
  projectId: string | undefined;
  modelId: string | undefined;
}

/** A version, with the place of its files. */
export interface PlacedVersion {
  model_id: string;
  number: number;
  project_id: string;
  source: string;
  logged_model_id: string | null;
  logged_experiment: number | null;
  tracked_run_id: string | null;
  experiment: number | null;
}

const placed = sql`v.model_id, v.number, models.project_id, v.source, logged.id as logged_model_id,
  logged.experiment as logged_experiment, tracked.id as tracked_run_id, tracked.experiment`;
const withPlaces = sql`model_versions as v join models on models.id = v.model_id
  left join logged_models as logged on logged.id = v.logged_model_id
  left join tracked_runs as tracked on tracked.id = v.tracked_run_id`;

export function trashQueries(db: Db) {
  return {
    /** The newest first. Only what the caller may change: to others, the trash is of no use. */
    list: async (
      access: Expression<ProjectAccess | null>,
      { projectId, modelId }: Place,
      { days, most }: { days: number; most: number },
    ): Promise<TrashRow[]> => {
      const here = sql`projects.owner_id is not null and ${access} in ('owner', 'editor')
        and (${projectId ?? null}::uuid is null or projects.id = ${projectId ?? null}::uuid)
        and (${modelId ?? null}::uuid is null or models.id = ${modelId ?? null}::uuid)`;
      const { rows } = await sql<TrashRow>`
        select trash.*, trash.deleted_at + make_interval(days => ${days}) as removed_at, person.id as author_id,
          person.username, person.first_name, person.last_name, person.avatar_version
        from (
          select models.id, models.name, projects.id as project_id, projects.name as project_name,
            null::integer as number, models.deleted_at, models.deleted_by, ${access} as access,
            (select count(*) from model_versions where model_id = models.id and deleted_at is null) as versions
          from models join projects on projects.id = models.project_id
          where models.deleted_at is not null and ${here}
          union all
          select models.id, models.name, projects.id, projects.name, v.number, v.deleted_at, v.deleted_by, ${access}, 1
          from model_versions as v join models on models.id = v.model_id join projects on projects.id = models.project_id
          where v.deleted_at is not null and models.deleted_at is null and ${here}
        ) as trash left join accounts as person on person.id = trash.deleted_by and person.deleted_at is null
        order by trash.deleted_at desc, trash.id, trash.number desc limit ${most}`.execute(db);
      return rows;
    },

    /** False when it was in the trash already. */
    deleteModel: async (id: string, accountId: string): Promise<boolean> => {
      const { rows } = await sql`update models set deleted_at = now(), deleted_by = ${accountId}
        where id = ${id} and deleted_at is null returning id`.execute(db);
      return rows.length > 0;
    },

    restoreModel: async (id: string): Promise<boolean> => {
      const { rows } = await sql`update models set deleted_at = null, deleted_by = null, updated_at = now()
        where id = ${id} and deleted_at is not null returning id`.execute(db);
      return rows.length > 0;
    },

    deleteVersion: async (modelId: string, number: number, accountId: string): Promise<boolean> => {
      const { rows } = await sql`update model_versions set deleted_at = now(), deleted_by = ${accountId}
        where model_id = ${modelId} and number = ${number} and deleted_at is null returning number`.execute(db);
      return rows.length > 0;
    },

    restoreVersion: async (modelId: string, number: number): Promise<boolean> => {
      const { rows } = await sql`update model_versions set deleted_at = null, deleted_by = null, updated_at = now()
        where model_id = ${modelId} and number = ${number} and deleted_at is not null returning number`.execute(db);
      return rows.length > 0;
    },

    aliasesOf: async (modelId: string, number: number): Promise<string[]> => {
      const rows = await db
        .selectFrom("model_aliases")
        .select("alias")
        .where("model_id", "=", modelId)
        .where("number", "=", number)
        .execute();
      return rows.map(({ alias }) => alias);
    },

    /**
     * Aliases that a deleted version lost with its deletion, which has the same time. Who set or removed one of them since
     * has decided where it is.
     */
    lostAliases: async (modelId: string, number: number): Promise<string[]> => {
      const { rows } = await sql<{ alias: string }>`
        select lost.alias from model_versions as v join (
            select distinct on (alias) alias, from_number, to_number, moved_at from model_alias_moves
            where model_id = ${modelId} order by alias, id desc
          ) as lost on lost.from_number = v.number and lost.to_number is null and lost.moved_at = v.deleted_at
        where v.model_id = ${modelId} and v.number = ${number} order by lost.alias`.execute(db);
      return rows.map(({ alias }) => alias);
    },

    /** Versions that were thrown away long ago, with their model or alone. In all projects, or in one. */
    old: async (days: number, most: number, projectId?: string): Promise<PlacedVersion[]> => {
      const { rows } = await sql<PlacedVersion>`
        select ${placed} from ${withPlaces}
        where (v.deleted_at < now() - make_interval(days => ${days})
            or models.deleted_at < now() - make_interval(days => ${days}))
          and (${projectId ?? null}::uuid is null or models.project_id = ${projectId ?? null}::uuid)
        limit ${most}`.execute(db);
      return rows;
    },

    /** Inside a transaction. False when it was restored meanwhile. */
    removeVersion: async ({ model_id, number }: PlacedVersion, days: number): Promise<boolean> => {
      const { rows } = await sql`
        delete from model_versions as v using models where models.id = v.model_id and v.model_id = ${model_id}
          and v.number = ${number} and (v.deleted_at < now() - make_interval(days => ${days})
            or models.deleted_at < now() - make_interval(days => ${days})) returning v.number`.execute(db);
      return rows.length > 0;
    },

    /** The versions of a project whose files may be among those of this run or logged model. */
    ofOwner: async (projectId: string, owner: string): Promise<PlacedVersion[]> => {
      const { rows } = await sql<PlacedVersion>`
        select ${placed} from ${withPlaces} where models.project_id = ${projectId}
          and (v.logged_model_id = ${owner} or strpos(v.source, ${owner}) > 0)`.execute(db);
      return rows;
    },

    /** Their paths, except those in folders to keep. The content goes when nothing has named it for long. */
    removeFiles: async (projectId: string, folder: string, kept: readonly string[]): Promise<void> => {
      await sql`delete from artifacts where project_id = ${projectId} and path > ${`${folder}/`} and path < ${`${folder}0`}
        and not exists (select from unnest(${kept}::text[]) as kept where starts_with(path, kept || '/'))`.execute(db);
    },

    removeLogged: async (id: string): Promise<void> => {
      await sql`update logged_models set deleted_at = now() where id = ${id} and deleted_at is null`.execute(db);
    },

    /** All versions of a project, and whether each is in the trash. */
    ofProject: async (projectId: string): Promise<(PlacedVersion & { is_deleted: boolean })[]> => {
      const { rows } = await sql<PlacedVersion & { is_deleted: boolean }>`
        select ${placed}, (v.deleted_at is not null or models.deleted_at is not null) as is_deleted
        from ${withPlaces} where models.project_id = ${projectId}`.execute(db);
      return rows;
    },

    /** Models without versions that were thrown away long ago. */
    removeModels: async (days: number, projectId?: string): Promise<void> => {
      await sql`delete from models where deleted_at < now() - make_interval(days => ${days})
        and (${projectId ?? null}::uuid is null or project_id = ${projectId ?? null}::uuid)
        and not exists (select from model_versions where model_id = models.id)`.execute(db);
    },
  };
}
