import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { groupPart } from "@miranda/contract/graph/group-part.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { NodeGroup, Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";

import { newId } from "../../platform/crypto.ts";
import { copiedEdge, copiedNode } from "../../model/copied-rows.ts";
import type { EdgeRow, NodeRow } from "../../model/graph-rows.ts";
import type { EdgeInsert, GroupInsert, NodeInsert } from "../../model/graph-inserts.ts";
import { shiftTo, within } from "../../model/positions.ts";

export type TemplateNode = Omit<
  NodeInsert,
  "id" | "update_policy" | "template_id" | "template_ref" | "template_version"
>;

/** What a template creates: a prefab one node, a blueprint several, with their edges and groups. */
export interface TemplateContent {
  nodes: TemplateNode[];
  edges: EdgeInsert[];
  groups?: Omit<GroupInsert, "id">[];
}

interface Part {
  nodes: NodeRow[];
  edges?: EdgeRow[];
  groups?: NodeGroup[];
}

/** The version before. Its nodes keep their refs, by which linked nodes find their newer code. */
interface Earlier {
  id: string;
  content: TemplateContent;
}

/** A part of a graph as a template, without secrets, history and git credentials. */
export function contentOf({ nodes, edges = [], groups = [] }: Part, earlier?: Earlier): TemplateContent {
  const refs = refsOf(nodes, earlier);
  return {
    nodes: nodes.map((row) => ({
      ...copiedNode(row),
      ref: refs.get(row.metadata_id) ?? "",
      locked: false,
    })),
    edges: edges.flatMap((row) => {
      const [source, target] = [refs.get(row.source_id), refs.get(row.target_id)];
      if (source === undefined || target === undefined) return [];
      return [copiedEdge(row, source, target)];
    }),
    groups: groups
      .flatMap((group) => groupPart(group, refs))
      .map(({ metadata_ids, ...group }) => ({ ...group, members: metadata_ids.flatMap((id) => refs.get(id) ?? []) })),
  };
}

/** The rows that a template creates, with its upper left corner at `position`. */
export function rowsOf(
  template: { id: string; version: number; content: TemplateContent },
  position: Position | undefined,
  updatePolicy: UpdatePolicy,
): { nodes: NodeInsert[]; edges: EdgeInsert[]; groups: GroupInsert[] } {
  const { nodes, edges, groups = [] } = template.content;
  const shift = shiftTo(
    nodes.map(({ x, y }) => ({ position: { x, y } })),
    position,
  );
  return {
    nodes: nodes.map((node) => ({
      ...node,
      id: newId(),
      x: within(node.x + shift.x),
      y: within(node.y + shift.y),
      update_policy: updatePolicy,
      template_id: template.id,
      template_ref: node.ref,
      template_version: template.version,
    })),
    // The bends of edges move with the copy.
    edges: edges.map((edge) => ({
      ...edge,
      segments: edge.segments.map(({ x, y }) => ({ x: within(x + shift.x), y: within(y + shift.y) })),
    })),
    groups: groups.map((group) => ({ ...group, id: newId() })),
  };
}

export function apiOf(node: TemplateNode): NodeApi {
  return parseNodeApi(node.api);
}

/**
 * A node that was made from the template is the same node. Another one is the same if it has the same name; otherwise it
 * is new. A prefab has one node, whatever its name is.
 */
function refsOf(nodes: readonly NodeRow[], earlier: Earlier | undefined): Map<number, string> {
  const known = earlier?.content.nodes ?? [];
  const free = new Map(known.map(({ ref, name }) => [ref, name]));
  const refs = new Map<number, string>();
  const take = (row: NodeRow, ref: string | undefined) => {
    if (ref === undefined || !free.delete(ref)) return;
    refs.set(row.metadata_id, ref);
  };
  for (const row of nodes) if (row.template_id === earlier?.id) take(row, row.template_ref ?? undefined);
  const left = nodes.filter(({ metadata_id }) => !refs.has(metadata_id));
  const byName = Map.groupBy(free, ([, name]) => name);
  for (const row of left) take(row, byName.get(row.name)?.shift()?.[0]);
  const [only] = left;
  if (known.length === 1 && nodes.length === 1 && only && !refs.has(only.metadata_id)) take(only, known[0]?.ref);
  let next = Math.max(-1, ...known.map(({ ref }) => Number(ref))) + 1;
  for (const { metadata_id } of nodes) if (!refs.has(metadata_id)) refs.set(metadata_id, String(next++));
  return refs;
}
