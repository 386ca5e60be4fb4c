import type { DraftAuthor } from "@miranda/contract/schemas/code.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

export interface ChangeRow {
  changed_at: Date;
  /** Null when the account is deleted. */
  username: string | null;
  first_name: string | null;
  last_name: string | null;
}

interface CodeCommitRow extends ChangeRow {
  number: number;
  message: string;
  source_code: string;
  with: DraftAuthor[];
}

export function lastChangeQueries(db: Db) {
  return {
    /** Who changed a node last. Moving it on the canvas is no change of it. */
    ofNode: async (metadataId: number): Promise<ChangeRow | undefined> => {
      const { rows } = await sql<ChangeRow>`
        select edited_at as changed_at, username, first_name, last_name from node_edits
          left join accounts on accounts.id = node_edits.account_id and accounts.deleted_at is null
        where metadata_id = ${metadataId} and edited_at is not null
        order by edited_at desc limit 1`.execute(db);
      return rows[0];
    },

    /** The newest commits, oldest first, as long as their code is not larger than so many characters together. */
    commits: async (metadataId: number, most: number, characters: number): Promise<CodeCommitRow[]> => {
      const { rows } = await sql<CodeCommitRow>`
        select number, message, source_code, c.created_at as changed_at, username, first_name, last_name,
          coalesce((select jsonb_agg(jsonb_build_object('username', writer.username, 'first_name', writer.first_name)
            order by writer.username)
            from accounts as writer where writer.id = any(c.written_by) and writer.deleted_at is null), '[]') as "with"
        from (
          select *, sum(length(source_code)) over (order by number desc) as characters from (
            select * from node_commits where metadata_id = ${metadataId} order by number desc limit ${most}) as newest
        ) as c left join accounts on accounts.id = c.author_id and accounts.deleted_at is null
        where characters <= ${characters} order by number`.execute(db);
      return rows;
    },
  };
}
