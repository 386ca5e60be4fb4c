import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** A new version that nobody was told about. */
export interface VersionNews {
  model_id: string;
  model_name: string;
  project_id: string;
  project_name: string;
  owner_id: string | null;
  number: number;
  metrics: Record<string, unknown>;
  run_id: string | null;
  account_id: string | null;
  author: string;
  created_at: Date;
}

/** An alias that was moved. */
export interface MoveNews {
  id: string;
  model_id: string;
  model_name: string;
  project_id: string;
  project_name: string;
  owner_id: string | null;
  alias: string;
  from_number: number | null;
  to_number: number | null;
  reason: string;
  account_id: string | null;
  author: string;
  moved_at: Date;
}

// Always inside a transaction: of several servers, one tells. It never waits for a model that somebody changes, who might wait
// for a version that is held here.
export const modelNewsQueries = {
  takeVersions: async (trx: Db, most: number): Promise<VersionNews[]> => {
    const { rows } = await sql<VersionNews>`
      select v.model_id, models.name as model_name, projects.id as project_id, projects.name as project_name,
        projects.owner_id, v.number, v.metrics, v.run_id, v.account_id,
        coalesce(nullif(v.author, ''), accounts.username, '') as author, v.created_at
      from model_versions as v join models on models.id = v.model_id join projects on projects.id = models.project_id
        left join accounts on accounts.id = v.account_id and accounts.deleted_at is null
      where v.told_at is null order by v.created_at limit ${most}
      for no key update of v skip locked for key share of models skip locked`.execute(trx);
    return rows;
  },

  markVersions: async (trx: Db, told: readonly VersionNews[]): Promise<void> => {
    await sql`update model_versions set told_at = now() from unnest(
        ${told.map(({ model_id }) => model_id)}::uuid[], ${told.map(({ number }) => number)}::integer[])
        as told(model_id, number)
      where model_versions.model_id = told.model_id and model_versions.number = told.number`.execute(trx);
  },

  takeMoves: async (trx: Db, most: number): Promise<MoveNews[]> => {
    const { rows } = await sql<MoveNews>`
      select moves.id, moves.model_id, models.name as model_name, projects.id as project_id,
        projects.name as project_name, projects.owner_id, moves.alias, moves.from_number, moves.to_number, moves.reason,
        moves.account_id, coalesce(nullif(moves.author, ''), accounts.username, '') as author, moves.moved_at
      from model_alias_moves as moves join models on models.id = moves.model_id
        join projects on projects.id = models.project_id
        left join accounts on accounts.id = moves.account_id and accounts.deleted_at is null
      where moves.told_at is null order by moves.moved_at limit ${most}
      for no key update of moves skip locked for key share of models skip locked`.execute(trx);
    return rows;
  },

  markMoves: async (trx: Db, told: readonly MoveNews[]): Promise<void> => {
    await sql`update model_alias_moves set told_at = now() where id = any(${told.map(({ id }) => id)}::uuid[])`.execute(
      trx,
    );
  },

  /** Members of a project who can change it, at most so many. Its owner is not among them. */
  editors: async (trx: Db, projectId: string, most: number): Promise<string[]> => {
    const { rows } = await sql<{ account_id: string }>`
      select distinct account_id from project_people where project_id = ${projectId} and role = 'editor'
      order by account_id limit ${most}`.execute(trx);
    return rows.map(({ account_id }) => account_id);
  },
};
