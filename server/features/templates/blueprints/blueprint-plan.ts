import type { LibraryCategory } from "@miranda/contract/words/library-categories.ts";

import type { PrefabKey } from "../library-prefabs.ts";

interface PlannedNode {
  prefab: PrefabKey;
  at: [number, number];
  name?: string;
  values?: Record<string, unknown>;
  /** The category whose colour it gets here instead of its own: all plain nodes are grey. */
  look?: LibraryCategory;
}

export interface BlueprintPlan {
  key: string;
  name: string;
  description: string;
  tags: readonly string[];
  /** By the name that edges use; `at` is its column and row. */
  nodes: Record<string, PlannedNode>;
  /** `node.transmitter → node.receiver` */
  edges: readonly string[];
  /** By their name: the nodes of each. */
  groups?: Record<string, readonly string[]>;
}
