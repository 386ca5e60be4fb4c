import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** Whose calls: of an account, of a token of the deployment, or of a visitor without an account. */
export type CallsOf = { accountId: string } | { tokenId: string } | { visitorHash: Buffer };

export function ofCaller(caller: CallsOf) {
  if ("tokenId" in caller) return sql<boolean>`calls.token_id = ${caller.tokenId}::uuid`;
  if ("accountId" in caller) return sql<boolean>`calls.account_id = ${caller.accountId}::uuid`;
  return sql<boolean>`(calls.visitor_hash = ${caller.visitorHash} and calls.account_id is null)`;
}

export function callFileQueries(db: Db) {
  return {
    /** Those of the files that the caller sent with an earlier call of the deployment. */
    sentBefore: async (
      deploymentId: string,
      caller: CallsOf | undefined,
      hashes: readonly string[],
    ): Promise<ReadonlySet<string>> => {
      if (hashes.length === 0 || !caller) return new Set();
      const { rows } = await sql<{ hash: string }>`
        select distinct call_files.hash from call_files join calls on calls.id = call_files.call_id
        where call_files.hash = any(${hashes}::text[]) and calls.deployment_id = ${deploymentId}
          and ${ofCaller(caller)}`.execute(db);
      return new Set(rows.map(({ hash }) => hash));
    },

    findContent: async (callId: string, hash: string): Promise<Buffer | undefined> => {
      const row = await db
        .selectFrom("call_files")
        .innerJoin("node_files", "node_files.hash", "call_files.hash")
        .select("content")
        .where("call_id", "=", callId)
        .where("call_files.hash", "=", hash)
        .executeTakeFirst();
      return row?.content;
    },
  };
}
