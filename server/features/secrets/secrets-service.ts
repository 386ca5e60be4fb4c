import type { CreateSecretBody, NotifySecretBody, Secret, SecretPageQuery } from "@miranda/contract/schemas/secrets.ts";

import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent, withAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Cipher } from "../../platform/cipher.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { createSecretQueries, type SecretOwner } from "./secrets-queries.ts";

export type Secrets = ReturnType<typeof createSecrets>;

/** Values are stored and given to processors. No answer ever contains one. */
export function createSecrets(deps: {
  db: Db;
  cipher: Cipher;
  projects: Projects;
  graphs: Graphs;
  quotas: Pick<Quotas, "secrets">;
}) {
  const queries = createSecretQueries(deps.db);
  // Set by the processors: receives the answer to a question.
  let onAnswer: (graphId: string, value: string, question?: string) => Promise<void> = async () => undefined;

  async function ownerFor(caller: Caller, projectId: string | undefined, write: boolean): Promise<SecretOwner> {
    if (!projectId) return { accountId: caller.accountId };
    const project = await deps.projects.getProject(caller, projectId, "read");
    if (project.access === "viewer") throw new AppError("secret_forbidden");
    // An administrator sees the names of secrets and their owners. Only members of the project change them.
    if (write && caller.isAdmin && project.owner_id !== caller.accountId) {
      const isEditor = (await deps.projects.accessTo({ ...caller, isAdmin: false }, projectId)) === "editor";
      if (!isEditor) throw new AppError("secret_forbidden");
    }
    return { projectId };
  }

  async function take(key: string, owner: SecretOwner): Promise<string | undefined> {
    const found = await queries.find(key, owner);
    if (!found) return undefined;
    if (found.temporary) await queries.removeById(found.id);
    return deps.cipher.decrypt(found.value);
  }

  return {
    onAnswer(handler: typeof onAnswer): void {
      onAnswer = handler;
    },

    /** For node code. A temporary secret is deleted once it is read. */
    take,

    async save(caller: Caller, { key, value, project_id, temporary }: CreateSecretBody): Promise<{ key: string }> {
      const owner = await ownerFor(caller, project_id, true);
      const row = {
        id: newId(),
        key,
        project_id: "projectId" in owner ? owner.projectId : null,
        account_id: caller.accountId,
        value: deps.cipher.encrypt(value),
        temporary,
      };
      const counted = { what: "secrets", owner: row.project_id ?? caller.accountId } as const;
      await addWithinQuota(deps.db, counted, async (trx) => {
        const inside = createSecretQueries(trx);
        if ((await inside.countOthers(owner, row)) >= deps.quotas.secrets)
          throw new AppError("projectId" in owner ? "too_many_project_secrets" : "too_many_secrets");
        await inside.save(row);
        // Answers to questions of node code are no secrets that somebody keeps.
        if (!temporary) await recordAuditEvent(trx, auditEventOf("secret.save", caller, key, row.project_id));
      });
      return { key };
    },

    async list(caller: Caller, { project_id, ...page }: SecretPageQuery): Promise<Secret[]> {
      const rows = await queries.list(await ownerFor(caller, project_id, false), page);
      return rows.map((row) => ({
        key: row.key,
        project_id: row.project_id,
        temporary: row.temporary,
        time_created: row.created_at.toISOString(),
        last_updated: row.updated_at.toISOString(),
      }));
    },

    async remove(caller: Caller, key: string, projectId: string | undefined): Promise<void> {
      const owner = await ownerFor(caller, projectId, true);
      await withAuditEvent(deps.db, auditEventOf("secret.delete", caller, key, projectId ?? null), async (trx) => {
        if (!(await createSecretQueries(trx).remove(key, owner))) throw new AppError("secret_not_found");
      });
    },

    /** The answer to ask_for_password has been saved: pass it to the processor that asked. */
    async notify(caller: Caller, { key, project_id, question }: NotifySecretBody): Promise<void> {
      const graph = await deps.graphs.getGraph(caller, project_id, "write");
      const { project_id: projectId } = graph;
      const value = (await take(key, { projectId })) ?? (await take(key, { accountId: caller.accountId }));
      if (value === undefined) throw new AppError("secret_not_found");
      await onAnswer(graph.id, value, question);
    },

    sweep: () => queries.sweep(),
  };
}

/** Its name, never its value. */
function auditEventOf(
  kind: "secret.save" | "secret.delete",
  caller: Caller,
  key: string,
  projectId: string | null,
): AuditEvent {
  return { kind, ...actorOf(caller), projectId, subject: { kind: "secret", name: key } };
}
