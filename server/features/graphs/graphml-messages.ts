import type { Place } from "@miranda/contract/graph/graphml-error.ts";
import type {
  GraphmlLimits,
  ImportedEdge,
  ImportedGraph,
  ImportedNode,
} from "@miranda/contract/graph/graphml-types.ts";

/** What the import thread is told. Each of its messages is answered by one of these before it goes on. */
export type ToImport = { kind: "chunk"; bytes: Uint8Array | string } | { kind: "end" } | { kind: "next" };

export type FromImport =
  | { kind: "more" }
  | { kind: "nodes"; nodes: ImportedNode[] }
  | { kind: "edges"; edges: ImportedEdge[] }
  | { kind: "done"; rest: Omit<ImportedGraph, "nodes" | "edges"> }
  | { kind: "refused"; reason: string; place: Place | undefined }
  | { kind: "failed"; message: string };

export interface ImportSettings {
  limits: Partial<GraphmlLimits>;
}
