import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { inSlices } from "../../../platform/time-slicing.ts";
import type { EdgeRow, NodeRow } from "../../../model/graph-rows.ts";
import { declaredOnly } from "../../nodes/node-code-service.ts";
import { type VersionContent, versionEdgeKey } from "../version-content.ts";

/** A node's row. Its api may be the JSON text: thousands of nodes often have the same one, which is read once. */
export type SnapshotNode = Omit<NodeRow, "api" | "id" | "graph_id" | "tag_users" | "updated_by" | "status" | Times> & {
  api: unknown;
};
type Times = "created_at" | "updated_at" | "last_used_at";

export interface SnapshotGroup {
  lineage: string;
  name: string;
  colour: string | null;
  collapsed: boolean;
  members: number[];
}

/** All rows of a graph at one moment. */
export interface Snapshot {
  revision: number;
  nodes: readonly SnapshotNode[];
  edges: readonly EdgeRow[];
  groups: readonly SnapshotGroup[];
}

/** What a version keeps of a graph. Other requests are served meanwhile. */
export async function contentOfRows(rows: Omit<Snapshot, "revision">): Promise<VersionContent> {
  const nodes = new Map<string, VersionNode>();
  const lineages = new Map<number, string>();
  const apis = new Map<unknown, NodeApi>();
  const apiOf = (row: SnapshotNode): NodeApi => {
    const known = apis.get(row.api);
    if (known) return known;
    const read = versionApi(parseNodeApi(row.api));
    apis.set(row.api, read);
    return read;
  };
  for await (const some of inSlices(rows.nodes, (row) => toVersionNode(row, apiOf(row))))
    for (const node of some) {
      nodes.set(node.lineage, node);
      lineages.set(node.metadata_id, node.lineage);
    }
  const edges = new Map<string, VersionEdge>();
  for await (const some of inSlices(rows.edges, (row) => toVersionEdge(row, lineages)))
    for (const edge of some) if (edge) edges.set(versionEdgeKey(edge), edge);
  const groups = new Map(rows.groups.map((row) => [row.lineage, toVersionGroup(row, lineages)]));
  return { nodes, edges, groups };
}

export function secretNames(api: NodeApi): Set<string> {
  return new Set(api.attributes.filter(({ control }) => control?.type === "secret").map(({ name }) => name));
}

/** What the code declares. A secret's default may come from a session, so it is left out: readers see versions. */
function versionApi({ compiled, error, disabled, attributes }: NodeApi): NodeApi {
  const declared = attributes.map(declaredOnly);
  return {
    compiled,
    error,
    disabled,
    attributes: declared.map((one) => (one.control?.type === "secret" ? { ...one, value: null } : one)),
  };
}

function toVersionNode(row: SnapshotNode, api: NodeApi): VersionNode {
  return {
    lineage: row.lineage,
    metadata_id: row.metadata_id,
    class: row.class,
    name: row.name,
    description: row.description,
    order: row.order,
    position: { x: row.x, y: row.y },
    colour: row.colour,
    tags: row.tags,
    locked: row.locked,
    api,
    values: shownValues(row.field_values, api),
    body: row.body ?? null,
    source_code: row.source_code,
    git: row.git && withoutCredentials(row.git),
    git_branch: row.git_branch,
    update_policy: row.update_policy,
    template:
      row.template_id === null
        ? null
        : { id: row.template_id, ref: row.template_ref ?? "", version: row.template_version ?? 0 },
  };
}

/** Only values of declared attributes: one that the code no longer declares may have been a secret. */
function shownValues(values: Record<string, unknown>, api: NodeApi): Record<string, unknown> {
  const names = Object.keys(values);
  if (names.length === 0) return {};
  const shown = new Set(
    api.attributes.filter(({ control }) => control?.type !== "secret").map((attribute) => attribute.name),
  );
  return Object.fromEntries(names.filter((name) => shown.has(name)).map((name) => [name, values[name]]));
}

function toVersionEdge(row: EdgeRow, lineages: ReadonlyMap<number, string>): VersionEdge | undefined {
  const [source, target] = [lineages.get(row.source_id), lineages.get(row.target_id)];
  if (source === undefined || target === undefined) return undefined;
  const { transmitter, receiver, segments, label } = row;
  return { source, transmitter, target, receiver, segments, label };
}

/** A group also holds the numbers of deleted nodes. */
function toVersionGroup(row: SnapshotGroup, lineages: ReadonlyMap<number, string>): VersionGroup {
  const { lineage, name, colour, collapsed, members } = row;
  return { lineage, name, colour, collapsed, members: members.map(Number).flatMap((id) => lineages.get(id) ?? []) };
}
