import { packagesOf } from "@miranda/contract/packages/inline-metadata.ts";
import { packageConflicts } from "@miranda/contract/packages/package-conflicts.ts";
import type {
  OwnTemplate,
  TemplateCode,
  TemplateOffer,
  TemplateUses,
  TemplateVersion,
} from "@miranda/contract/schemas/library/templates.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { apiOf, type TemplateNode } from "./template-content.ts";
import { createTemplateVersionQueries } from "./template-versions-queries.ts";
import { described, type Templates } from "./templates-service.ts";

interface Dependencies {
  db: Db;
  templates: Pick<Templates, "getNewest">;
  nodes: Pick<Nodes, "getNode">;
  projects: Pick<Projects, "accessExpression">;
}

const usesListed = 100;

export type TemplateVersions = ReturnType<typeof createTemplateVersions>;

/** What was published of a template, who uses it, and what taking a newer version would change. */
export function createTemplateVersions({ db, templates, nodes, projects }: Dependencies) {
  const queries = createTemplateVersionQueries(db);

  /** Whether the caller sees also what was published while the template was private. */
  const seesAll = ({ accountId, isAdmin }: Caller, { owner_id }: { owner_id: string | null }): boolean =>
    isAdmin || owner_id === accountId;

  async function getReadable(caller: Caller, id: string) {
    const template = await queries.findReadable(caller, id);
    if (!template) throw new AppError("prefab_not_found");
    return template;
  }

  async function listVersions(
    caller: Caller,
    template: { id: string; owner_id: string | null },
    after?: number,
  ): Promise<TemplateVersion[]> {
    const rows = await queries.versions(template.id, seesAll(caller, template), after);
    return rows.map(({ version, changes, published_at, username }) => ({
      version,
      changes,
      by: username,
      time_published: published_at.toISOString(),
    }));
  }

  async function lostPorts(metadataId: number, newest: TemplateNode): Promise<TemplateOffer["lost_ports"]> {
    const kept = new Set(apiOf(newest).attributes.map(({ name, direction }) => `${direction.split("_")[0]} ${name}`));
    const lost = new Map<string, number>();
    for (const { name, is_source } of await queries.usedPorts(metadataId))
      if (!kept.has(`${is_source ? "TRANSMITTER" : "RECEIVER"} ${name}`)) lost.set(name, (lost.get(name) ?? 0) + 1);
    return [...lost].map(([name, edges]) => ({ name, edges }));
  }

  return {
    async listOwn(caller: Caller): Promise<OwnTemplate[]> {
      const rows = await queries.owned(caller.accountId);
      return rows.map((row) => ({
        ...described(caller, row),
        kind: row.kind,
        node_count: row.node_count,
        used_by: { nodes: row.used_nodes, workflows: row.used_workflows },
      }));
    },

    async list(caller: Caller, id: string): Promise<TemplateVersion[]> {
      return listVersions(caller, await getReadable(caller, id));
    },

    async code(caller: Caller, id: string, version: number): Promise<TemplateCode> {
      const template = await getReadable(caller, id);
      const code = await queries.code(id, version, seesAll(caller, template));
      if (!code) throw new AppError("template_version_not_found");
      return { nodes: code };
    },

    /** Everybody who may read a template sees which of their own workflows use it. */
    async uses(caller: Caller, id: string): Promise<TemplateUses> {
      await getReadable(caller, id);
      const { rows, count } = await queries.uses(id, projects.accessExpression(caller), usesListed);
      return {
        workflows: rows.map(({ project_id, project_name, ...row }) => ({
          ...row,
          project: { id: project_id, name: project_name },
        })),
        others: count - rows.length,
      };
    },

    async offer(caller: Caller, metadataId: number): Promise<TemplateOffer> {
      const node = await nodes.getNode(caller, metadataId, "read");
      const { template, newest } = await templates.getNewest(caller, node);
      const wanted = packagesOf(newest.source_code);
      const others = wanted.length > 0 ? await queries.codeWithPackages(node.graph_id, metadataId) : [];
      return {
        version: template.version,
        changes: await listVersions(caller, template, node.template_version ?? 0),
        source_code: newest.source_code,
        last_run: (await queries.lastRun(metadataId, node.graph_id)) ?? null,
        lost_ports: await lostPorts(metadataId, newest),
        package_conflicts: others.flatMap(({ name, source_code }) =>
          packageConflicts(wanted, packagesOf(source_code)).map((conflict) => ({ ...conflict, node: name })),
        ),
      };
    },
  };
}
