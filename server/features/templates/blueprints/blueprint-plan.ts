import type { PrefabKey } from "../library-prefabs.ts";

export interface BlueprintPlan {
  key: string;
  name: string;
  description: string;
  tags: readonly string[];
  /** By the name that edges use; `at` is its column and row. */
  nodes: Record<string, { prefab: PrefabKey; at: [number, number]; name?: string; values?: Record<string, unknown> }>;
  /** `node.transmitter → node.receiver` */
  edges: readonly string[];
  /** By their name: the nodes of each. */
  groups?: Record<string, readonly string[]>;
}
