import { edgeBetween } from "@miranda/contract/graph/content.ts";
import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import type { Edge, EdgeEnds, GraphResponse, Node, NodeGroup } from "@miranda/contract/schemas/nodes.ts";
import type {
  BriefComparison,
  BriefNodeDifference,
  VersionEdge,
  VersionGraph,
  VersionGroup,
  VersionNode,
} from "@miranda/contract/schemas/versions.ts";

export interface ComparedGraph {
  /** Both sides in one: what was removed is still there, what changed is as it is afterwards. */
  graph: GraphResponse;
  /** The number of each node on this canvas, by lineage. */
  numbers: ReadonlyMap<string, number>;
  /** The nodes of the first side, by number. */
  before: Readonly<Record<string, Node>>;
}

/** One graph that has everything of both sides, to draw the differences on one canvas. */
export function comparedGraph(before: VersionGraph, { nodes, edges, groups }: BriefComparison): ComparedGraph {
  const numbers = new Map(Object.entries(before.lineages).map(([key, lineage]) => [lineage, Number(key)]));
  const drawn: Record<string, Node> = { ...before.nodes };
  let free = -2;
  for (const { lineage, after } of nodes) {
    if (!after) continue;
    let id = numbers.get(lineage) ?? after.metadata_id;
    // The number is that of another node here: the nodes of two workflows are on one canvas.
    if (!numbers.has(lineage) && drawn[id]) {
      id = free;
      free -= 1;
    }
    numbers.set(lineage, id);
    drawn[id] = nodeOf(after, id, drawn[id]);
  }

  const lines = new Map(before.edges.map((edge) => [edgeKey(edge), edge]));
  for (const { after } of edges) {
    const ends = after && endsOf(after, numbers);
    if (ends) lines.set(edgeKey(ends), edgeOf(after, ends, drawn));
  }

  const frames = new Map(before.groups.map((group) => [group.id, group]));
  // A version names its groups by their lineage.
  for (const { lineage, after } of groups) if (after) frames.set(lineage, groupOf(after, numbers));
  return {
    graph: {
      nodes: drawn,
      edges: [...lines.values()],
      // Open, because a collapsed group hides the differences inside it.
      groups: Array.from(frames.values(), (group) => ({ ...group, collapsed: false })),
      viewOnly: true,
      revision: before.revision,
    },
    numbers,
    before: before.nodes,
  };
}

/** The ends of an edge by number; undefined when one of its nodes is not on the canvas. */
export function endsOf(edge: VersionEdge, numbers: ReadonlyMap<string, number>): EdgeEnds | undefined {
  const [source, target] = [numbers.get(edge.source), numbers.get(edge.target)];
  if (source === undefined || target === undefined) return undefined;
  return {
    source_wob_key: source,
    source_transmitter_key: edge.transmitter,
    destination_wob_key: target,
    destination_receiver_key: edge.receiver,
  };
}

function edgeOf({ segments, label }: VersionEdge, ends: EdgeEnds, nodes: Readonly<Record<string, Node>>): Edge {
  return edgeBetween(ends, (id) => nodes[id], { segments, label });
}

function groupOf(group: VersionGroup, numbers: ReadonlyMap<string, number>): NodeGroup {
  const { lineage, name, colour, collapsed, members } = group;
  return {
    id: lineage,
    name,
    colour,
    collapsed,
    metadata_ids: members.flatMap((lineage) => numbers.get(lineage) ?? []),
  };
}

type After = NonNullable<BriefNodeDifference["after"]>;

/** A node of the second side as the canvas draws it. `known` is the same node of the first side. */
function nodeOf(node: After, id: number, known: Node | undefined): Node {
  const { lineage, metadata_id: _number, values, tags, template, api, ...rest } = node;
  return {
    ...rest,
    source_code: node.source_code ?? known?.source_code ?? "",
    id: known?.id ?? lineage,
    metadata_id: id,
    key: id,
    api: api
      ? { ...api, attributes: api.attributes.map((attribute) => withValue(attribute, values)) }
      : (known?.api ?? noApi),
    tags: { tags, user_ids: [] },
    time_created: known?.time_created ?? "",
    last_updated: known?.last_updated ?? "",
    last_used: null,
    status: null,
    ...(template && { template }),
  };
}

const noApi: Node["api"] = { compiled: true, error: null, disabled: false, attributes: [] };

function withValue(attribute: Node["api"]["attributes"][number], values: VersionNode["values"]) {
  if (!Object.hasOwn(values, attribute.name)) return attribute;
  return { ...attribute, default: attribute.value, value: values[attribute.name] };
}
