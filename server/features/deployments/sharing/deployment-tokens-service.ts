import { deployment as limits } from "@miranda/contract/limits.ts";
import type { DeploymentToken } from "@miranda/contract/schemas/deployments/deployments.ts";

import { recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import { hashToken, newId, randomToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { addWithinQuota } from "../../../platform/limits/quota-lock.ts";
import { authorOf } from "../../auth/auth-service.ts";
import { deploymentAuditEvent } from "../deployment-audit-events.ts";
import type { Deployments } from "../deployments-service.ts";
import { sharingQueries } from "./sharing-queries.ts";

const prefix = "mdt_";
const touchEvery = 60_000;

interface Dependencies {
  db: Db;
  deployments: Pick<Deployments, "forManage">;
}

export type DeploymentTokens = ReturnType<typeof createDeploymentTokens>;

/** Tokens that can use one deployment and do nothing else, as the account that made them. */
export function createDeploymentTokens({ db, deployments }: Dependencies) {
  const queries = sharingQueries(db);

  return {
    isToken: (bearer: string): boolean => bearer.startsWith(prefix),

    async authenticate(token: string): Promise<Caller | undefined> {
      const credential = hashToken(token);
      const found = await queries.findToken(credential);
      if (!found) return undefined;
      if (Date.now() - (found.used_at?.getTime() ?? 0) > touchEvery) await queries.touchToken(found.id);
      return {
        ...{ accountId: found.account_id, username: found.username, isAdmin: found.is_admin, via: "token", credential },
        onlyProject: null,
        deploymentToken: { id: found.id, deploymentId: found.deployment_id },
      };
    },

    async list(caller: Caller, graphId: string): Promise<DeploymentToken[]> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      return (await queries.listTokens(deployment.id)).map((row) => ({
        ...{ id: row.id, name: row.name, hint: row.hint, by: authorOf(row) },
        time_created: row.created_at.toISOString(),
        last_used: row.used_at?.toISOString() ?? null,
      }));
    },

    /** Shown once: only its hash is stored. */
    async create(caller: Caller, graphId: string, name: string): Promise<string> {
      const { deployment, projectId } = await deployments.forManage(caller, graphId, "release");
      const token = prefix + randomToken();
      const row = {
        ...{ id: newId(), deployment_id: deployment.id, account_id: caller.accountId, name },
        ...{ hint: token.slice(-4), token_hash: hashToken(token) },
      };
      await addWithinQuota(db, { what: "deployment tokens", owner: deployment.id }, async (trx) => {
        const inside = sharingQueries(trx);
        if ((await inside.countTokens(deployment.id)) >= limits.tokensMax)
          throw new AppError("too_many_deployment_tokens");
        await inside.insertToken(row);
        const place = { ...deployment, projectId };
        await recordAuditEvent(trx, deploymentAuditEvent("deployment.token", caller, place, { token: name }));
      });
      return token;
    },

    async revoke(caller: Caller, graphId: string, id: string): Promise<void> {
      const { deployment, projectId } = await deployments.forManage(caller, graphId, "release");
      await db.transaction().execute(async (trx) => {
        const token = await sharingQueries(trx).removeToken(deployment.id, id);
        if (token === undefined) throw new AppError("not_found");
        const place = { ...deployment, projectId };
        await recordAuditEvent(trx, deploymentAuditEvent("deployment.token_revoke", caller, place, { token }));
      });
    },
  };
}
