import { edgeBetween } from "@miranda/contract/graph/content.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { VersionGraph, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { withValues } from "../../model/graph-rows.ts";
import { mapInSlices } from "../../platform/time-slicing.ts";
import type { VersionContent } from "./version-content.ts";

/** A version as the canvas shows it: nobody can change it. */
export async function toVersionGraph(content: VersionContent, revision: number, time: string): Promise<VersionGraph> {
  const nodes = new Map(
    await mapInSlices([...content.nodes.values()], (node) => [node.metadata_id, toNode(node, time)] as const),
  );
  const numberOf = (lineage: string): number | undefined => content.nodes.get(lineage)?.metadata_id;
  const edges = await mapInSlices([...content.edges.values()], (edge) => {
    const [source, target] = [numberOf(edge.source), numberOf(edge.target)];
    if (source === undefined || target === undefined) return [];
    const ends = {
      source_wob_key: source,
      source_transmitter_key: edge.transmitter,
      destination_wob_key: target,
      destination_receiver_key: edge.receiver,
    };
    return [edgeBetween(ends, (id) => nodes.get(id), { segments: edge.segments, label: edge.label })];
  });
  const groups = [...content.groups.values()].map(({ lineage, name, colour, collapsed, members }) => ({
    id: lineage,
    name,
    colour,
    collapsed,
    metadata_ids: members.flatMap((member) => numberOf(member) ?? []).toSorted((one, other) => one - other),
  }));
  const lineages = Object.fromEntries(
    [...content.nodes.values()].map(({ metadata_id, lineage }) => [metadata_id, lineage]),
  );
  return { nodes: Object.fromEntries(nodes), edges: edges.flat(), viewOnly: true, groups, revision, lineages };
}

/** A version stores no times and no UUIDs of its nodes. Its own time and the lineage are used instead. */
function toNode(node: VersionNode, time: string): Node {
  const { lineage, values, tags, template, ...rest } = node;
  return {
    ...rest,
    id: lineage,
    key: node.metadata_id,
    api: withValues(node.api, values, true),
    time_created: time,
    last_updated: time,
    last_used: null,
    status: null,
    tags: { tags, user_ids: [] },
    ...(template && { template }),
  };
}
