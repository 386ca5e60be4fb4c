import { edgeBetween } from "@miranda/contract/graph/content.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";
import type { VersionEdge, VersionGraph, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { withValues } from "../../model/graph-rows.ts";
import { inSlices, mapInSlices } from "../../platform/time-slicing.ts";
import type { VersionContent } from "./version-content.ts";

/**
 * A version as the canvas shows it, as the parts of a JSON text (`VersionGraph`). Other requests are served between them.
 * Most nodes declare what others declare too, so the text of each api is made once.
 */
export async function* versionGraphText(
  content: VersionContent,
  revision: number,
  time: string,
): AsyncGenerator<string> {
  const apis = new Map<NodeApi, string>();
  const byNumber = new Map([...content.nodes.values()].map((node) => [node.metadata_id, node]));

  function apiText({ api, values }: VersionNode): string {
    if (Object.keys(values).length > 0) return JSON.stringify(withValues(api, values, true));
    const text = apis.get(api) ?? JSON.stringify(withValues(api, {}, true));
    apis.set(api, text);
    return text;
  }

  function nodeText(node: VersionNode, at: number): string {
    const fields = JSON.stringify(fieldsOf(node, time)).slice(0, -1);
    return `${at === 0 ? "" : ","}"${node.metadata_id}":${fields},"api":${apiText(node)}}`;
  }

  const { numberOf, toEdge } = edgesOf(content);

  yield '{"nodes":{';
  for await (const texts of inSlices([...byNumber.values()], nodeText)) yield texts.join("");
  yield '},"edges":[';
  let comma = "";
  for await (const texts of inSlices([...content.edges.values()], toEdge)) {
    const edges = texts.filter((edge) => edge !== undefined).map((edge) => JSON.stringify(edge));
    if (edges.length > 0) yield comma + edges.join(",");
    if (edges.length > 0) comma = ",";
  }
  const groups = [...content.groups.values()].map(({ lineage, name, colour, collapsed, members }) => ({
    id: lineage,
    name,
    colour,
    collapsed,
    metadata_ids: members.flatMap((member) => numberOf(member) ?? []).toSorted((one, other) => one - other),
  }));
  const lineages = Object.fromEntries([...byNumber].map(([number, { lineage }]) => [number, lineage]));
  const rest: Omit<VersionGraph, "nodes" | "edges"> = { viewOnly: true, groups, revision, lineages };
  yield `],${JSON.stringify(rest).slice(1)}`;
}

/** The nodes and edges of a version, for a run. */
export async function versionNodes(
  content: VersionContent,
  time: string,
): Promise<Pick<VersionGraph, "nodes" | "edges">> {
  const { toEdge } = edgesOf(content);
  const nodes = await mapInSlices([...content.nodes.values()], (node) => {
    const api = withValues(node.api, node.values, true);
    return [node.metadata_id, { ...fieldsOf(node, time), api }] as const;
  });
  const edges = await mapInSlices([...content.edges.values()], toEdge);
  return { nodes: Object.fromEntries(nodes), edges: edges.filter((edge) => edge !== undefined) };
}

/** Edges of a version name nodes by lineage, those of a graph by number. */
function edgesOf(content: VersionContent) {
  const byNumber = new Map([...content.nodes.values()].map((node) => [node.metadata_id, node]));
  const numberOf = (lineage: string): number | undefined => content.nodes.get(lineage)?.metadata_id;

  function toEdge(edge: VersionEdge): Edge | undefined {
    const [source, target] = [numberOf(edge.source), numberOf(edge.target)];
    if (source === undefined || target === undefined) return undefined;
    const ends = {
      source_wob_key: source,
      source_transmitter_key: edge.transmitter,
      destination_wob_key: target,
      destination_receiver_key: edge.receiver,
    };
    return edgeBetween(ends, (id) => byNumber.get(id), { segments: edge.segments, label: edge.label });
  }

  return { numberOf, toEdge };
}

/** A version stores no times and no UUIDs of its nodes. Its own time and the lineage are used instead. */
function fieldsOf(node: VersionNode, time: string): Omit<Node, "api"> {
  const { lineage, values: _values, tags, template, api: _api, ...rest } = node;
  return {
    ...rest,
    id: lineage,
    key: node.metadata_id,
    time_created: time,
    last_updated: time,
    last_used: null,
    status: null,
    tags: { tags, user_ids: [] },
    ...(template && { template }),
  };
}
