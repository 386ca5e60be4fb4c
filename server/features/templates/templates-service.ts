import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { isLibraryCategory } from "@miranda/contract/words/library-categories.ts";
import type { ChangedNode, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { CloneBlueprintBody, ClonePrefabBody } from "@miranda/contract/schemas/nodes.ts";
import type {
  Blueprint,
  PatchTemplateBody,
  Prefab,
  PrefabDetails,
  PublishBlueprintBody,
  PublishPrefabBody,
  TemplatePageQuery,
} from "@miranda/contract/schemas/library/templates.ts";

import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent, withAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { type CountedPage, findCounted } from "../../platform/http/list-total.ts";
import { newId } from "../../platform/crypto.ts";
import type { NodeRow } from "../../model/graph-rows.ts";
import type { Trial } from "../../tables/run-tables.ts";
import type { Db } from "../../platform/database/database.ts";
import { findLimit } from "../../platform/limits/account-limits-queries.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Quotas } from "../../platform/limits/quota-settings.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Batch } from "../nodes/batch-service.ts";
import { storedApi } from "../nodes/node-code-service.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import { readLibrary } from "./library.ts";
import { pictureAddress } from "./library-pictures.ts";
import { apiOf, contentOf, rowsOf } from "./template-content.ts";
import { createTemplateQueries, type Taken, type TemplateKind, type TemplateRow } from "./templates-queries.ts";

export type Templates = ReturnType<typeof createTemplates>;

interface Dependencies {
  db: Db;
  graphs: Graphs;
  nodes: Nodes;
  batch: Batch;
  quotas: Pick<Quotas, "templatesPerAccount">;
}

export function createTemplates({ db, graphs, nodes, batch, quotas }: Dependencies) {
  const queries = createTemplateQueries(db);

  async function getTemplate(caller: Caller, kind: TemplateKind, id: string): Promise<TemplateRow> {
    const row = await queries.find(caller, kind, id);
    if (!row) throw new AppError(kind === "prefab" ? "prefab_not_found" : "blueprint_not_found");
    return row;
  }

  async function listPage(
    caller: Caller,
    kind: TemplateKind,
    page: TemplatePageQuery,
  ): Promise<CountedPage<TemplateRow>> {
    const { items: ids, total } = await findCounted(page, (limit) => queries.findPage(caller, kind, page, limit));
    return { items: await queries.list(kind, ids), total };
  }

  async function getOwn(caller: Caller, kind: TemplateKind, id: string): Promise<TemplateRow> {
    const row = await getTemplate(caller, kind, id);
    const isShipped = row.library_key !== null;
    if (isShipped || (row.owner_id !== caller.accountId && !caller.isAdmin)) throw new AppError("template_read_only");
    return row;
  }

  async function nodeContent(caller: Caller, metadataId: number, earlier?: TemplateRow) {
    const node = await nodes.getNode(caller, metadataId, "write");
    const { visibility } = await graphs.getGraph(caller, node.graph_id, "write");
    const content = contentOf({ nodes: [{ ...node, x: 0, y: 0 }] }, earlier);
    return { node, isPublic: visibility === "public", taken: { content, graphId: node.graph_id } };
  }

  async function selectionContent(caller: Caller, graphId: string, metadataIds: number[], earlier?: TemplateRow) {
    const { visibility } = await graphs.getGraph(caller, graphId, "write");
    const selection = await batch.select(graphId, metadataIds);
    if (selection.nodes.length === 0) throw new AppError("nothing_selected");
    const content = contentOf(selection, earlier);
    return { isPublic: visibility === "public", taken: { content, graphId } };
  }

  async function publish(
    caller: Caller,
    kind: TemplateKind,
    given: { name: string; description: string; tags: string[]; public: boolean },
    taken: Taken,
  ): Promise<TemplateRow> {
    const id = newId();
    await addWithinQuota(db, { what: "templates", owner: caller.accountId }, async (trx) => {
      const inside = createTemplateQueries(trx);
      const most = await findLimit(trx, "templates", caller.accountId, quotas.templatesPerAccount);
      if ((await inside.countOwned(caller.accountId)) >= most) throw new AppError("too_many_templates");
      await inside.insert({ id, kind, owner_id: caller.accountId, ...given }, taken);
      const subject = { kind: "template", id, name: given.name };
      await recordAuditEvent(trx, {
        kind: "template.publish",
        ...actorOf(caller),
        subject,
        details: { public: given.public },
      });
    });
    return getTemplate(caller, kind, id);
  }

  async function change(
    caller: Caller,
    kind: TemplateKind,
    id: string,
    given: PatchTemplateBody,
  ): Promise<TemplateRow> {
    const earlier = await getOwn(caller, kind, id);
    const { name, description, tags, metadata_id, project_id, metadata_ids, withdrawn } = given;
    let taken: Taken | undefined;
    if (kind === "prefab" && metadata_id !== undefined) taken = (await nodeContent(caller, metadata_id, earlier)).taken;
    if (kind === "blueprint" && project_id !== undefined && metadata_ids !== undefined)
      taken = (await selectionContent(caller, project_id, metadata_ids, earlier)).taken;
    const described = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(tags !== undefined && { tags }),
      ...(given.public !== undefined && { public: given.public }),
      ...(withdrawn !== undefined && { withdrawn }),
    };
    const next = taken && { ...taken, changes: given.changes ?? "", accountId: caller.accountId };
    // A publication that is based on an older version would undo what was published since.
    const event: AuditEvent = {
      kind: withdrawn ? "template.withdraw" : "template.publish",
      ...actorOf(caller),
      subject: { kind: "template", id, name: name ?? earlier.name },
      details: { changes: given.changes ?? "" },
    };
    await withAuditEvent(db, event, async (trx) => {
      const isChanged = await createTemplateQueries(trx).update(id, described, next, given.base_version);
      if (!isChanged) throw new AppError("template_changed");
    });
    return getTemplate(caller, kind, id);
  }

  /** The newer code of a linked node. */
  async function getNewest(caller: Caller, node: NodeRow) {
    if (!node.template_id) throw new AppError("not_template");
    if (node.update_policy !== "linked") throw new AppError("no_update");
    const template = await queries.findOrigin(caller, node.template_id);
    if (!template)
      throw new AppError((await queries.isWithdrawn(node.template_id)) ? "template_withdrawn" : "no_update");
    const newest = template.content.nodes.find((one) => one.ref === node.template_ref);
    if (!newest || template.version <= (node.template_version ?? 0)) throw new AppError("no_update");
    return { template, newest };
  }

  return {
    getNewest,

    /** The code that a trial runs in one node: the version that the person looked at. */
    async newerCode(caller: Caller, graphId: string, metadataId: number, version: number): Promise<Trial> {
      const node = await nodes.getNode(caller, metadataId, "write");
      if (node.graph_id !== graphId) throw new AppError("node_not_found");
      const { template, newest } = await getNewest(caller, node);
      if (template.version !== version) throw new AppError("template_changed");
      return { node: metadataId, version, source_code: newest.source_code };
    },

    seed: () => queries.seed(readLibrary().map((one) => ({ ...one, id: newId() }))),

    async listPrefabs(caller: Caller, page: TemplatePageQuery): Promise<CountedPage<Prefab>> {
      const { items, total } = await listPage(caller, "prefab", page);
      return { items: items.map((row) => toPrefab(caller, row)), total };
    },

    async listBlueprints(caller: Caller, page: TemplatePageQuery): Promise<CountedPage<Blueprint>> {
      const { items, total } = await listPage(caller, "blueprint", page);
      return { items: items.map((row) => toBlueprint(caller, row)), total };
    },

    async readPrefab(caller: Caller, id: string): Promise<PrefabDetails> {
      const row = await getTemplate(caller, "prefab", id);
      const [node] = row.content.nodes;
      return { ...toPrefab(caller, row), source_code: node?.source_code ?? "", body: node?.body ?? null };
    },

    async publishPrefab(caller: Caller, body: PublishPrefabBody): Promise<Prefab> {
      const { node, isPublic, taken } = await nodeContent(caller, body.metadata_id);
      const { name = node.name, description = node.description, tags = node.tags } = body;
      const given = { name, description, tags, public: body.public ?? isPublic };
      return toPrefab(caller, await publish(caller, "prefab", given, taken));
    },

    async publishBlueprint(caller: Caller, body: PublishBlueprintBody): Promise<Blueprint> {
      const { isPublic, taken } = await selectionContent(caller, body.project_id, body.metadata_ids);
      const { name, description = "", tags = [] } = body;
      const given = { name, description, tags, public: body.public ?? isPublic };
      return toBlueprint(caller, await publish(caller, "blueprint", given, taken));
    },

    async changePrefab(caller: Caller, id: string, given: PatchTemplateBody): Promise<Prefab> {
      return toPrefab(caller, await change(caller, "prefab", id, given));
    },

    async changeBlueprint(caller: Caller, id: string, given: PatchTemplateBody): Promise<Blueprint> {
      return toBlueprint(caller, await change(caller, "blueprint", id, given));
    },

    async remove(caller: Caller, kind: TemplateKind, id: string): Promise<void> {
      const removed = await getOwn(caller, kind, id);
      const subject = { kind: "template", id, name: removed.name };
      const event = { kind: "template.withdraw", ...actorOf(caller), subject } as const;
      await withAuditEvent(db, event, (trx) => createTemplateQueries(trx).remove(id));
    },

    async clonePrefab(caller: Caller, id: string, body: ClonePrefabBody): Promise<ChangedNode> {
      await graphs.getGraph(caller, body.project_id, "write");
      const template = await getTemplate(caller, "prefab", id);
      const rows = rowsOf(template, body.position, body.update_policy);
      const { nodes, revision } = await batch.add(caller, body.project_id, rows);
      const [node] = Object.values(nodes);
      if (!node) throw new AppError("node_not_found");
      return { ...node, revision };
    },

    /** Puts a shipped blueprint into a workflow that the caller may write. Its nodes are not linked to it. */
    async copyShipped(caller: Caller, key: string, graphId: string): Promise<void> {
      await graphs.getGraph(caller, graphId, "write");
      const template = await queries.findShipped(`blueprint:${key}`);
      if (!template) throw new AppError("blueprint_not_found");
      await batch.add(caller, graphId, rowsOf(template, { x: 0, y: 0 }, "detached"));
    },

    async cloneBlueprint(caller: Caller, body: CloneBlueprintBody): Promise<PasteResponse> {
      await graphs.getGraph(caller, body.project_id, "write");
      const template = await getTemplate(caller, "blueprint", body.blueprint);
      return batch.add(caller, body.project_id, rowsOf(template, body.position, body.update_policy));
    },

    /**
     * Gives a linked node the newest code of a template that the caller may read. Values stay, and so does whether it
     * is disabled.
     */
    async applyUpdate(caller: Caller, metadataId: number, looked?: number): Promise<ChangedNode> {
      const node = await nodes.getNode(caller, metadataId, "write");
      const { template, newest } = await getNewest(caller, node);
      // People must not get code that they have not seen.
      if (looked !== undefined && looked !== template.version) throw new AppError("template_changed");
      return nodes.updateNode(
        caller,
        node,
        (row) => ({
          source_code: newest.source_code,
          api: storedApi({ ...apiOf(newest), disabled: parseNodeApi(row.api).disabled }),
          template_version: template.version,
        }),
        ["source_code", "api", "template"],
      );
    },
  };
}

export function described(caller: Caller, row: Omit<TemplateRow, "content">) {
  const [category] = row.tags;
  const picture = pictureAddress(row.library_key, row.version);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    tags: row.tags,
    shipped: row.library_key !== null,
    yours: row.owner_id === caller.accountId,
    public: row.public,
    version: row.version,
    withdrawn: row.withdrawn,
    last_updated: row.updated_at.toISOString(),
    ...(row.library_key !== null && row.kind === "prefab" && isLibraryCategory(category) && { category }),
    ...(picture !== undefined && { picture }),
  };
}

function toPrefab(caller: Caller, row: TemplateRow): Prefab {
  const [node] = row.content.nodes;
  return {
    ...described(caller, row),
    class: node?.class ?? "Code_block",
    api: parseNodeApi(node?.api),
  };
}

function toBlueprint(caller: Caller, row: TemplateRow): Blueprint {
  return { ...described(caller, row), node_count: row.node_count, edge_count: row.edge_count };
}
