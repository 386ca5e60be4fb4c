import { isRecord } from "@miranda/contract/json.ts";
import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import type { EnteredGraph } from "@miranda/contract/schemas/realtime.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { isLiveToken } from "../auth/auth-service.ts";
import type { Projects } from "../projects/projects-service.ts";

/** One connection in one graph, or in none. */
export interface Claim {
  connection: string;
  account_id: string;
  /** The hash of its session or token, in hexadecimal. */
  credential: string;
  via: "session" | "token";
  graph_id: string | null;
}

export interface Standing {
  connection: string;
  graph_id: string | null;
  /** Its session or token is still valid. */
  live: boolean;
  username: string | null;
  is_admin: boolean | null;
  access: ProjectAccess | null;
}

/** Whether the account has to set up a second factor first. */
const missesFactor = sql`(not accounts.has_second_factor and exists (select 1 from installation_settings
  where second_factor = 'everybody' or (second_factor = 'admins' and accounts.is_admin)))`;

export function createRealtimeQueries(db: Db, projects: Pick<Projects, "accessExpression">) {
  const access = projects.accessExpression({
    accountId: sql.ref("accounts.id"),
    isAdmin: sql<boolean>`(accounts.is_admin and coalesce(access_tokens.scope, 'all') = 'all')`,
    onlyProject: sql.ref("access_tokens.project_id"),
  });

  return {
    /** The present access of all connections, in one query. */
    async standings(claims: Claim[]): Promise<Standing[]> {
      const { rows } = await sql<Standing>`
        select given.connection, given.graph_id, accounts.username,
          accounts.is_admin and coalesce(access_tokens.scope, 'all') = 'all' as is_admin,
          accounts.disabled_at is null and case given.via
            when 'session' then exists (select 1 from sessions
              where token_hash = decode(given.credential, 'hex') and account_id = given.account_id and expires_at > now()
                and (has_two_factors or not ${missesFactor}))
            else coalesce(${isLiveToken} and not ${missesFactor}, false)
          end as live,
          -- Without the scope to write, everything is read-only.
          case when access_tokens.scope in ('read', 'run') and own.access is not null then 'viewer'
            else own.access end as access
        from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
          as given(connection text, account_id uuid, credential text, via text, graph_id uuid)
        left join accounts on accounts.id = given.account_id
        left join access_tokens on given.via = 'token' and access_tokens.account_id = given.account_id
          and access_tokens.token_hash = decode(given.credential, 'hex')
        -- The room of a deployment is for those who may read its project.
        left join deployments on deployments.id = given.graph_id
        left join graphs on graphs.id = coalesce(deployments.graph_id, given.graph_id)
        left join projects on projects.id = graphs.project_id
        cross join lateral (select case when projects.id is null then null else ${access} end as access) as own`.execute(
        db,
      );
      return rows;
    },

    members: (accountIds: string[]) =>
      db
        .selectFrom("accounts")
        .select(["id", "username", "email", "first_name", "last_name", "avatar_version"])
        .where("id", "in", accountIds)
        .execute(),

    /** The revision of a graph. Undefined when it is gone. */
    async progress(graphId: string): Promise<EnteredGraph | undefined> {
      const row = await db
        .selectFrom("graphs")
        .select(["revision"])
        .select((eb) =>
          eb
            .selectFrom("nodes")
            .select((nodes) => nodes.fn.max("last_used_at").as("at"))
            .whereRef("nodes.graph_id", "=", "graphs.id")
            .as("last_used"),
        )
        .where("id", "=", graphId)
        .executeTakeFirst();
      return row && { revision: row.revision, last_used: row.last_used?.toISOString() ?? null };
    },

    /** Whether an attribute's value is hidden from readers. An unknown one might be. */
    async isSecret(metadataId: number, name: string): Promise<boolean> {
      const row = await db.selectFrom("nodes").select("api").where("metadata_id", "=", metadataId).executeTakeFirst();
      const api = row?.api;
      const { attributes } = isRecord(api) ? api : {};
      const all: readonly unknown[] = Array.isArray(attributes) ? attributes : [];
      const attribute = all.filter(isRecord).find((one) => one["name"] === name);
      return !attribute || (isRecord(attribute["control"]) && attribute["control"]["type"] === "secret");
    },
  };
}
