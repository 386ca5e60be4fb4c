import { resolveGraph } from "@miranda/contract/graph/resolution/resolve-graph.ts";
import type { GraphResponse, Node } from "@miranda/contract/schemas/nodes.ts";
import { ComputePolicy, StoragePolicy } from "@miranda/contract/schemas/policies.ts";

/** A graph in the form that the worker reads. */
export interface RunnerGraph {
  /** The workflow's own, which is that of its experiment too. */
  name: string;
  nodes: {
    id: number;
    name: string;
    source_code: string;
    values: Record<string, unknown>;
    disabled: boolean;
    /** A folder, or a bucket and the names of its secrets. */
    storage: string | (Bucket & { most_files: number }) | null;
  }[];
  edges: { source: number; transmitter: string; target: number; receiver: string }[];
}

type Bucket = Omit<Extract<StoragePolicy, { type: "s3" }>, "type">;

/** What a storage policy means on this engine. */
export interface StorageRoom {
  volumeFolder: (name: string) => string;
  /** How many files a bucket may bring. */
  mostFiles: number;
}

/**
 * The values that people set, by node. The graph's answer mixes them with the code's defaults, and the worker must
 * distinguish them.
 */
export type FieldValues = Map<number, Record<string, unknown>>;

export function toRunnerGraph(
  graph: Pick<GraphResponse, "nodes" | "edges">,
  values: FieldValues,
  room: StorageRoom,
): Omit<RunnerGraph, "name"> {
  const { nodes, edges } = resolveGraph(graph);
  const blocks = Object.values(nodes).filter((node) => node.class === "Code_block");
  const known = new Set(blocks.map(({ metadata_id }) => metadata_id));
  const storages = policiesInto(nodes, edges, "storage");
  return {
    nodes: blocks.map((node) => ({
      id: node.metadata_id,
      name: node.name,
      source_code: node.source_code,
      values: values.get(node.metadata_id) ?? {},
      disabled: node.api.disabled,
      storage: storageOf(storages.get(node.metadata_id)?.[0], room),
    })),
    edges: edges
      .filter((edge) => known.has(edge.source_wob_key) && known.has(edge.destination_wob_key))
      .map((edge) => ({
        source: edge.source_wob_key,
        transmitter: edge.source_transmitter_key,
        target: edge.destination_wob_key,
        receiver: edge.destination_receiver_key,
      })),
  };
}

function storageOf(policy: Node | undefined, room: StorageRoom): RunnerGraph["nodes"][number]["storage"] {
  const parsed = StoragePolicy.safeParse(policy?.body);
  if (!parsed.success) return null;
  if (parsed.data.type === "volume") return room.volumeFolder(parsed.data.name);
  const { type: _type, ...bucket } = parsed.data;
  return { ...bucket, most_files: room.mostFiles };
}

/** The policies that reach each node, the nearest first. */
function policiesInto(nodes: Record<string, Node>, edges: GraphResponse["edges"], field: string): Map<number, Node[]> {
  const found = new Map<number, Node[]>();
  for (const edge of edges) {
    const source = nodes[edge.source_wob_key];
    if (edge.destination_receiver_key !== field || !source || source.class === "Code_block") continue;
    const list = found.get(edge.destination_wob_key) ?? [];
    list.push(source);
    found.set(edge.destination_wob_key, list);
  }
  return found;
}

interface Demand {
  cpu: number;
  ram_gb: number;
  gpu: number;
  image: string;
  max_minutes: number;
}

/** The largest demand of the compute policies that reach enabled nodes. Undefined when none does. */
export function demandOf(graph: Pick<GraphResponse, "nodes" | "edges">): Demand | undefined {
  const { nodes, edges } = resolveGraph(graph);
  const reached = [...policiesInto(nodes, edges, "compute")].filter(([id]) => nodes[id]?.api.disabled === false);
  const policies = reached
    .flatMap(([, list]) => list)
    .map((policy) => ComputePolicy.safeParse(policy.body))
    .filter((parsed) => parsed.success)
    .map(({ data }) => data);
  if (policies.length === 0) return undefined;
  const most = (pick: (policy: Demand) => number): number => Math.max(...policies.map(pick));
  return {
    cpu: most(({ cpu }) => cpu),
    ram_gb: most(({ ram_gb }) => ram_gb),
    gpu: most(({ gpu }) => gpu),
    image: policies.find(({ image }) => image !== "")?.image ?? "",
    max_minutes: most(({ max_minutes }) => max_minutes),
  };
}
