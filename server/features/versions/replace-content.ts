import { messages } from "@miranda/contract/words/messages.ts";
import { batch as limits, commit } from "@miranda/contract/limits.ts";
import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { mapInSlices } from "../../platform/time-slicing.ts";
import { deleteNodes } from "../../model/deleted-nodes-queries.ts";
import { filesIn, graphFiles } from "../../model/graph-files-queries.ts";
import { type EdgeRow, type NodeRow, toContent } from "../../model/graph-rows.ts";
import type { Declarations } from "../declarations/declarations-service.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import { type ChangeView, reloadAll } from "../nodes/graph-changes-service.ts";
import { createTemplateLinks } from "../templates/template-links-service.ts";
import { isSameNode } from "./compare/node-settings.ts";
import { apisOf } from "./replace/read-declarations.ts";
import {
  type AddedNode,
  type GroupRow,
  type NodeColumns,
  replaceContentQueries,
} from "./replace/replace-content-queries.ts";
import { edgeChanges, groupChanges } from "./replace/replaced-edges.ts";
import { changedColumns, columnsOf } from "./replace/replaced-nodes.ts";
import { contentOfRows } from "./store/content-of-rows.ts";
import { versionStoreQueries } from "./store/version-store-queries.ts";
import type { VersionContent } from "./version-content.ts";

interface Dependencies {
  graphs: Pick<Graphs, "room" | "accessExpression">;
  declarations: Pick<Declarations, "declare">;
}

export interface Replacement {
  /** The message of the commits of nodes whose code changes. */
  message: string;
  /** Contents that were read from workflows. Code that a node has there is not read again. */
  trusted?: readonly VersionContent[];
  /** The content is a version of this workflow: nodes that are added again get their numbers back. */
  isOwn?: boolean;
  /** Refuses when nothing would change. */
  refuseSame?: boolean;
  /** The workflow as it is, when the caller has read it. It must be of the revision before this change. */
  now?: VersionContent;
}

interface UpdatedNode {
  row: NodeRow;
  wanted: NodeColumns;
  changed: Set<keyof NodeColumns>;
}

export type ReplaceContent = ReturnType<typeof createReplaceContent>;

/**
 * Makes a workflow equal to `wanted`, inside a transaction of `changes.commit`. Nodes are matched by lineage. Locked nodes
 * refuse everything. Secret values and unsaved code of the nodes stay.
 */
export function createReplaceContent({ graphs, declarations }: Dependencies) {
  return async function replaceContent(
    trx: Db,
    caller: Caller,
    graphId: string,
    wanted: VersionContent,
    { message, trusted = [], isOwn = false, refuseSame = false, now: known }: Replacement,
  ): Promise<ChangeView> {
    const { accountId } = caller;
    const queries = replaceContentQueries(trx, graphId, accountId);
    if (wanted.groups.size > limits.groupsMax) throw new AppError("too_many_groups");
    const now = known ?? (await readContent(trx, graphId));
    const groups = await queries.groups();

    // Only what differs: reading and writing thousands of nodes that stay would keep others waiting.
    const nodes = [...wanted.nodes.values()].filter((node) => !isSameNode(now.nodes.get(node.lineage), node));
    const present = nodes.flatMap(({ lineage }) => now.nodes.get(lineage)?.metadata_id ?? []);
    const rows = new Map((await queries.nodesNumbered(present)).map((row) => [row.lineage, row]));
    const newcomers = nodes.filter(({ lineage }) => !rows.has(lineage));
    const deleted = await queries.deleted(newcomers.map(({ lineage }) => lineage));
    const wishes = nodes.map((node) => ({ node, row: rows.get(node.lineage) }));
    const apis = await apisOf(wishes, trusted, (sources) => declarations.declare(caller, sources));
    const named = new Set(nodes.flatMap(({ template }) => template?.id ?? []));
    const templates = await createTemplateLinks({ db: trx }).readable(caller, [...named]);
    const taken = isOwn ? await queries.taken(newcomers.map(({ metadata_id }) => metadata_id)) : undefined;
    const updated: UpdatedNode[] = [];
    const added: AddedNode[] = [];
    await mapInSlices(wishes, ({ node, row }) => {
      const { lineage, metadata_id, template } = node;
      const isLinked = template !== null && row?.template_id === template.id && row.template_ref === template.ref;
      const keepsTemplate = isLinked || templates.get(template?.id ?? "")?.refs.has(template?.ref ?? "") === true;
      const gone = deleted.get(lineage);
      const before = row ?? (gone && { field_values: gone.field_values, git: null, tag_users: {} });
      const given = columnsOf({ node, api: apis.get(lineage) ?? node.api, before, accountId, keepsTemplate });
      if (row) {
        const changed = changedColumns(row, given);
        if (changed.size > 0) updated.push({ row, wanted: given, changed });
        return;
      }
      // Any other number may be that of a node of another workflow, or may become one again there.
      const number = taken?.has(metadata_id) === false ? metadata_id : (gone?.metadata_id ?? null);
      const id = gone && gone.metadata_id === number ? gone.id : newId();
      added.push({ ...given, metadata_id: number, id, lineage });
    });
    const removed = [...now.nodes.values()].filter(({ lineage }) => !wanted.nodes.has(lineage));
    refuseLocked(updated, removed);

    await deleteNodes(
      trx,
      graphId,
      removed.map(({ metadata_id }) => metadata_id),
    );
    const numbers = await queries.add(added);
    for (const { lineage, metadata_id } of now.nodes.values())
      if (wanted.nodes.has(lineage)) numbers.set(lineage, metadata_id);
    await queries.update(updated.map(({ row, wanted: given }) => ({ ...given, metadata_id: row.metadata_id })));
    const withNewCode = updated.filter(({ changed }) => changed.has("source_code"));
    await queries.commitCode(
      withNewCode.map(({ row }) => row.metadata_id),
      message.slice(0, commit.messageMax),
    );

    const lines = edgeChanges(now, wanted, numbers);
    const gone = new Set(removed.map(({ metadata_id }) => metadata_id));
    const cut = lines.removed.filter(({ source_id, target_id }) => !gone.has(source_id) && !gone.has(target_id));
    refuseLockedEnds(now.nodes.values(), [...cut, ...lines.put]);
    await queries.removeEdges(cut);
    await queries.addEdges(lines.put);
    const frames = groupChanges(groups, wanted, numbers, newId);
    await queries.removeGroups(frames.removed);
    await queries.putGroups(frames.put);

    const counts = [updated, added, removed, lines.put, lines.removed, frames.put, frames.removed];
    if (refuseSame && counts.every((list) => list.length === 0)) throw new AppError("nothing_to_restore_version");
    const written = [...updated.map(({ wanted: given }) => given), ...added];
    const values = written.map(({ field_values }) => field_values);
    await graphFiles(trx).bring(caller, graphs.accessExpression, graphId, [
      ...new Set(filesIn(JSON.stringify(values))),
    ]);
    await graphs.room.refuseTooMany(trx, graphId);
    // It grows by no more than what was written.
    const bytes = Buffer.byteLength(JSON.stringify([written, lines.put]));
    await graphs.room.refuseTooLarge(trx, graphId, written.length + lines.put.length === 0 ? 0 : bytes);

    if (updated.length + added.length > limits.eventNodesMax) return reloadAll;
    const back = new Set(added.flatMap(({ lineage }) => numbers.get(lineage) ?? []));
    const put = new Set([...updated.map(({ row }) => row.metadata_id), ...back]);
    // New attributes change the texts of the edges at them.
    const retold = new Set(
      updated.filter(({ changed }) => changed.has("api")).map(({ row: { metadata_id } }) => metadata_id),
    );
    const redrawn = new Set(lines.put.map(endsText));
    const touched = new Set([...retold, ...lines.put.flatMap(({ source_id, target_id }) => [source_id, target_id])]);
    const shown = (await queries.edgesAt([...touched])).filter(
      (edge) => redrawn.has(endsText(edge)) || retold.has(edge.source_id) || retold.has(edge.target_id),
    );
    const ends = shown.flatMap((edge) => [edge.source_id, edge.target_id]);
    const after = await queries.nodesNumbered([...new Set([...put, ...ends])]);
    // A group keeps the number of a deleted node. When the node is restored, browsers must get the group again.
    const drawn = [...frames.put, ...frames.same.filter(({ members }) => members.some((id) => back.has(id)))];
    return (reader) => {
      const content = toContent(after, shown, reader);
      return {
        nodes: Object.values(content.nodes).filter(({ metadata_id }) => put.has(metadata_id)),
        deleted_nodes: [...gone],
        edges: content.edges,
        deleted_edges: lines.removed.map(endsOf),
        groups: drawn.map((group) => toGroup(group, numbers)),
        deleted_groups: frames.removed,
      };
    };
  };
}

async function readContent(trx: Db, graphId: string): Promise<VersionContent> {
  const queries = versionStoreQueries(trx);
  return contentOfRows({
    nodes: await queries.nodes(graphId),
    edges: await queries.edges(graphId),
    groups: await queries.groups(graphId),
  });
}

/** A locked node may only be locked or unlocked. */
function refuseLocked(updated: readonly UpdatedNode[], removed: readonly VersionNode[]): void {
  const changes = updated.filter(({ changed }) => changed.size > 1 || !changed.has("locked")).map(({ row }) => row);
  const locked = [...changes, ...removed].find((node) => node.locked);
  if (locked) throw new AppError("node_locked", messages.lockedNode(locked.name));
}

/** Edges between nodes that were there, one of which is locked. */
function refuseLockedEnds(
  nodes: Iterable<VersionNode>,
  edges: readonly Pick<EdgeRow, "source_id" | "target_id">[],
): void {
  const byNumber = new Map([...nodes].map((node) => [node.metadata_id, node]));
  for (const { source_id, target_id } of edges) {
    const [source, target] = [byNumber.get(source_id), byNumber.get(target_id)];
    const locked = source && target && [source, target].find((node) => node.locked);
    if (locked) throw new AppError("node_locked", messages.lockedNode(locked.name));
  }
}

function endsText({ source_id, transmitter, target_id, receiver }: Omit<EdgeRow, "segments" | "label">): string {
  return JSON.stringify([source_id, transmitter, target_id, receiver]);
}

function endsOf({ source_id, transmitter, target_id, receiver }: EdgeRow) {
  return {
    source_wob_key: source_id,
    source_transmitter_key: transmitter,
    destination_wob_key: target_id,
    destination_receiver_key: receiver,
  };
}

function toGroup({ id, name, colour, collapsed, members }: GroupRow, numbers: ReadonlyMap<string, number>): NodeGroup {
  const present = new Set(numbers.values());
  return { id, name, colour, collapsed, metadata_ids: members.filter((member) => present.has(member)) };
}
