import { messages } from "@miranda/contract/words/messages.ts";
import { version as limits } from "@miranda/contract/limits.ts";
import type {
  BriefComparison,
  Comparison,
  CreateVersionBody,
  NodeEdits,
  RestoredVersion,
  RestoreVersionBody,
  Version,
  VersionGraph,
  VersionKey,
  VersionListQuery,
  VersionPage,
  WorkflowFromVersionBody,
} from "@miranda/contract/schemas/versions.ts";

import { actorOf, recordAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import { tagOf } from "../../platform/http/not-modified.ts";
import type { Db } from "../../platform/database/database.ts";
import { addWithinQuota, lockQuota } from "../../platform/limits/quota-lock.ts";
import type { Code } from "../code/code-service.ts";
import type { Declarations } from "../declarations/declarations-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { GraphChanges } from "../nodes/graph-changes-service.ts";
import { createTemplateLinks } from "../templates/template-links-service.ts";
import type { AutomaticVersions } from "./automatic-versions.ts";
import { briefComparison } from "./compare/brief-comparison.ts";
import { compareInSlices } from "./compare/compare-contents.ts";
import { copiedContent } from "./copied-content.ts";
import { editQueries } from "./edits-queries.ts";
import { mergeBaseQueries } from "./merge-bases-queries.ts";
import { toNodeEdits } from "./node-edits.ts";
import { publishedContent } from "./published-content.ts";
import { apisOf } from "./replace/read-declarations.ts";
import type { VersionRoom } from "./store/version-room.ts";
import type { ReplaceContent } from "./replace-content.ts";
import { secretNames } from "./store/content-of-rows.ts";
import { withNodesOf } from "./single-nodes.ts";
import type { VersionContent } from "./version-content.ts";
import { versionGraphText, versionNodes } from "./version-graph.ts";
import { toVersion } from "./version-rows.ts";
import type { VersionStore } from "./version-store.ts";
import { versionQueries, type VersionRow } from "./versions-queries.ts";

interface Dependencies {
  db: Db;
  graphs: Graphs;
  changes: GraphChanges;
  code: Pick<Code, "drafts">;
  declarations: Pick<Declarations, "declare">;
  store: VersionStore;
  automatic: AutomaticVersions;
  room: VersionRoom;
  replaceContent: ReplaceContent;
  /** Tells everybody in a workflow that its list of versions has changed. */
  announce: (graphId: string) => void;
}

/** A version with its content. `version` is null for the workflow as it is. */
export interface ReadVersion {
  version: Version | null;
  content: VersionContent;
  revision: number;
}

/** A version, or the workflow as it is when there is no row. */
interface Side {
  graphId: string;
  row?: VersionRow;
}

/** Whether the client has the answer with this tag. */
export type IsKnown = (tag: string) => boolean;
type GraphText = AsyncIterable<string>;

/** The content of a version for a run, with set values apart from what the code declares. */
export type VersionForRun = (
  graphId: string,
  versionId: string,
) => Promise<{ graph: Pick<VersionGraph, "nodes" | "edges">; values: Map<number, Record<string, unknown>> }>;

export type Versions = ReturnType<typeof createVersions>;

/** Versions of workflows, for people. */
export function createVersions(deps: Dependencies) {
  const { db, graphs, changes, code, declarations, store, automatic, room, replaceContent, announce } = deps;
  const queries = versionQueries(db);

  async function getRow(graphId: string, key: VersionKey): Promise<VersionRow> {
    const row = key === "now" ? undefined : await queries.find(graphId, key);
    if (!row) throw new AppError("version_not_found");
    return row;
  }

  /** A version that the caller may read. Without a row it is the workflow as it is. */
  async function findSide(caller: Caller, graphId: string, key: VersionKey): Promise<Side> {
    await graphs.getGraph(caller, graphId, "read");
    return key === "now" ? { graphId } : { graphId, row: await getRow(graphId, key) };
  }

  /** `without` are parts that nobody needs, by their hash. */
  async function contentOf({ graphId, row }: Side, without: ReadonlySet<string> = new Set()) {
    if (!row) return store.present(graphId);
    const parts = row.parts.filter((hash) => !without.has(hash.toString("hex")));
    return { content: await store.readParts(parts), revision: row.revision };
  }

  async function read(caller: Caller, graphId: string, key: VersionKey): Promise<ReadVersion> {
    const side = await findSide(caller, graphId, key);
    return { version: side.row ? toVersion(side.row) : null, ...(await contentOf(side)) };
  }

  /** A version keeps no values of secret fields: those are as they are now. */
  const forRun: VersionForRun = async (graphId, versionId) => {
    const row = await getRow(graphId, versionId);
    const content = await store.readParts(row.parts);
    const present = await graphs.content(graphId);
    const values = new Map(
      [...content.nodes.values()].map(({ metadata_id, api, values: kept }) => {
        const now = present.values.get(metadata_id) ?? {};
        const secret = [...secretNames(api)].filter((name) => name in now).map((name) => [name, now[name]]);
        return [metadata_id, { ...Object.fromEntries(secret), ...kept }] as const;
      }),
    );
    return { graph: await versionNodes(content, row.created_at.toISOString()), values };
  };

  return {
    read,
    forRun,
    makeAutomatic: automatic.makeBefore,
    makeRoom: room.makeRoom,
    makeExport: automatic.makeExport,
    replaceContent,
    store,

    async list(caller: Caller, graphId: string, query: VersionListQuery): Promise<VersionPage> {
      await graphs.getGraph(caller, graphId, "read");
      const rows = await queries.list(graphId, query);
      const shown = rows.slice(0, query.limit);
      return { versions: shown.map(toVersion), next: rows.length > query.limit ? (shown.at(-1)?.id ?? null) : null };
    },

    async get(caller: Caller, graphId: string, key: VersionKey): Promise<Version> {
      await graphs.getGraph(caller, graphId, "read");
      return toVersion(await getRow(graphId, key));
    },

    async create(caller: Caller, graphId: string, body: CreateVersionBody): Promise<Version> {
      const { name, message, publish, left_out } = body;
      const { project_id, name: graphName } = await graphs.getGraph(caller, graphId, "write");
      if (left_out.length > 0 && !publish) throw new AppError("left_out_needs_publish");
      const leftOut = new Set(left_out);
      const id = newId();
      const { content: now, revision } = await store.present(graphId);
      // One version of a project at a time: two at once would both take the last megabyte. Meanwhile people can go on changing the workflow.
      await addWithinQuota(db, { what: "versions", owner: project_id }, async (trx) => {
        await lockQuota(trx, { what: "versions", owner: graphId });
        const inside = versionQueries(trx);
        const bytes = await room.bytesOf(trx, project_id);
        if ((await inside.countNamed(graphId)) >= limits.namedMax) throw new AppError("too_many_versions");
        const last = publish ? await inside.lastPublished(graphId) : undefined;
        const before = last && leftOut.size > 0 ? await store.readParts(last.parts, trx) : null;
        if (left_out.some((lineage) => !now.nodes.has(lineage) && !before?.nodes.has(lineage)))
          throw new AppError("left_out_unknown");
        const content = publishedContent(now, before, leftOut);
        const parts = await store.storeContent(trx, content);
        if (last && isSame(last.parts, parts)) throw new AppError("nothing_to_publish");
        // Last, because it locks the workflow's row.
        const number = await inside.nextNumber(graphId);
        if (number === undefined) throw new AppError("graph_not_found");
        await inside.insertNamed({
          id,
          graph_id: graphId,
          number,
          reason: "named",
          name,
          message,
          author_id: caller.accountId,
          revision,
          node_count: content.nodes.size,
          edge_count: content.edges.size,
          parts,
          published: publish,
          left_out: Object.fromEntries(
            left_out.map((lineage) => [lineage, last ? (last.left_out[lineage] ?? last.revision) : 0]),
          ),
        });
        await room.refuseFull(trx, project_id, bytes);
        const subject = { kind: "workflow", id: graphId, name: graphName };
        const event = { kind: publish ? "version.publish" : "version.save", ...actorOf(caller) } as const;
        await recordAuditEvent(trx, { ...event, projectId: project_id, subject, details: { number, name } });
      });
      await room.makeRoom(graphId);
      announce(graphId);
      return toVersion(await getRow(graphId, id));
    },

    /** Only a named one that nothing uses. */
    async remove(caller: Caller, graphId: string, key: VersionKey): Promise<void> {
      await graphs.getGraph(caller, graphId, "write");
      if (key === "now") throw new AppError("version_not_named");
      const { id, number } = await getRow(graphId, key);
      if (number === null) throw new AppError("version_not_named");
      await addWithinQuota(db, { what: "versions", owner: graphId }, async (trx) => {
        const inside = versionQueries(trx);
        if ((await inside.lastPublished(graphId))?.id === id)
          throw new AppError("version_in_use", messages.publishedVersion(number));
        if (await inside.isDeployed(id)) throw new AppError("version_deployed");
        await inside.remove(id);
      });
      announce(graphId);
    },

    /** The parts of a JSON text (`VersionGraph`), or "known" when the client has the one with this tag. */
    async graph(caller: Caller, graphId: string, key: VersionKey, isKnown: IsKnown): Promise<GraphText | "known"> {
      const side = await findSide(caller, graphId, key);
      if (side.row && isKnown(tagOf(["graph", side.row.id]))) return "known";
      const { content, revision } = await contentOf(side);
      return versionGraphText(content, revision, (side.row?.created_at ?? new Date()).toISOString());
    },

    /** What differs, or "known" when the client has it. `after` may be of another workflow. */
    async compare(
      caller: Caller,
      before: { graphId: string; key: VersionKey },
      after: { graphId: string; key: VersionKey },
      { brief, isKnown }: { brief: boolean; isKnown: IsKnown },
    ): Promise<Comparison | BriefComparison | "known"> {
      const one = await findSide(caller, before.graphId, before.key);
      const two = await findSide(caller, after.graphId, after.key);
      if (one.row && two.row && isKnown(tagOf(["compare", one.row.id, two.row.id, brief]))) return "known";
      // Parts that both have cannot differ. Most parts of two versions are such.
      const shared = one.row && two.row ? sharedParts(one.row.parts, two.row.parts) : new Set<string>();
      const [then, now] = [await contentOf(one, shared), await contentOf(two, shared)];
      const comparison = await compareInSlices(then.content, now.content);
      if (!brief) return comparison;
      const present = one.row ? (two.row ? undefined : now) : then;
      return { ...briefComparison(comparison), ...(present && { revision: present.revision }) };
    },

    /** A new workflow with the content of a version. Its changes can be brought back. */
    async startWorkflow(
      caller: Caller,
      graphId: string,
      key: VersionKey,
      { project_id, name }: WorkflowFromVersionBody,
    ): Promise<string> {
      const { content } = await read(caller, graphId, key);
      const nodes = [...content.nodes.values()];
      const apis = await apisOf(
        nodes.map((node) => ({ node, row: undefined })),
        [content],
        (sources) => declarations.declare(caller, sources),
      );
      const named = new Set(nodes.flatMap(({ template }) => template?.id ?? []));
      const templates = await createTemplateLinks({ db }).readable(caller, [...named]);
      return graphs.addCopy(caller, graphId, {
        project_id,
        name,
        content: copiedContent(content, apis, templates),
        alongside: async (trx, copy) => {
          const base_parts = await store.storeContent(trx, content);
          await versionQueries(trx).insertOrigin({ graph_id: copy, origin_id: graphId, base_parts });
        },
      });
    },

    /** Who changed which node since a version. */
    async edits(caller: Caller, graphId: string, key: VersionKey): Promise<NodeEdits> {
      await graphs.getGraph(caller, graphId, "read");
      const row = await getRow(graphId, key);
      const since = Math.min(row.revision, ...Object.values(row.left_out));
      const inside = editQueries(db);
      const [rows, drafts] = await Promise.all([inside.since(graphId, since), code.drafts(caller, graphId)]);
      const numbers = new Set([...rows, ...drafts].map(({ metadata_id }) => metadata_id));
      const nodes = new Map(
        (await inside.names(graphId, [...numbers])).map((node) => [node.metadata_id, node] as const),
      );
      if (nodes.size < numbers.size) {
        // Nodes that were deleted more than a day ago have their names in the version only.
        const { nodes: then } = await store.readParts(row.parts);
        for (const { metadata_id, lineage, name } of then.values())
          if (numbers.has(metadata_id) && !nodes.has(metadata_id))
            nodes.set(metadata_id, { metadata_id, lineage, name });
      }
      const revisionOf = (lineage: string) => row.left_out[lineage] ?? row.revision;
      return toNodeEdits({ rows, nodes, drafts, revisionOf });
    },

    /** Who ever changed which node of the workflow as it is. Before the first publication there is no version to ask about. */
    async allEdits(caller: Caller, graphId: string): Promise<NodeEdits> {
      await graphs.getGraph(caller, graphId, "read");
      const inside = editQueries(db);
      const [rows, drafts] = await Promise.all([inside.since(graphId, 0), code.drafts(caller, graphId)]);
      const numbers = new Set([...rows, ...drafts].map(({ metadata_id }) => metadata_id));
      const found = await inside.names(graphId, [...numbers]);
      const nodes = new Map(found.map((node) => [node.metadata_id, node] as const));
      return toNodeEdits({ rows, nodes, drafts, revisionOf: () => 0 });
    },

    /** The whole workflow or some nodes, as one change. The workflow as it was is kept as a version. */
    async restore(
      caller: Caller,
      graphId: string,
      key: VersionKey,
      { nodes }: RestoreVersionBody,
    ): Promise<RestoredVersion> {
      await graphs.getGraph(caller, graphId, "write");
      if (key === "now") throw new AppError("nothing_to_restore_version");
      if (nodes?.length === 0) throw new AppError("nothing_selected");
      const row = await getRow(graphId, key);
      const then = await store.readParts(row.parts);
      const ready = await store.ready(graphId);
      const restored = await changes.commit(caller, graphId, async (trx) => {
        // Its time decides which merges are undone.
        if (!(await versionQueries(trx).hold(row.id))) throw new AppError("version_not_found");
        const now = await store.before(trx, graphId, ready);
        const before = await automatic.makeBefore(trx, graphId, "restore", caller.accountId, now);
        const wanted = nodes ? withNodesOf(now.content, then, nodes) : then;
        const change = await replaceContent(trx, caller, graphId, wanted, {
          message: messages.restoredVersion(row.number, row.name, row.created_at),
          trusted: [then],
          isOwn: true,
          refuseSame: true,
          now: now.content,
        });
        if (!nodes) await mergeBaseQueries(trx).goBack(graphId, row.id);
        return { answer: { before }, change, because: "restore" };
      });
      await room.makeRoom(graphId, restored.before.id);
      return restored;
    },
  };
}

function isSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((hash, at) => others[at]?.equals(hash));
}

function sharedParts(some: readonly Buffer[], others: readonly Buffer[]): ReadonlySet<string> {
  const known = new Set(some.map((hash) => hash.toString("hex")));
  return new Set(others.map((hash) => hash.toString("hex")).filter((hash) => known.has(hash)));
}
