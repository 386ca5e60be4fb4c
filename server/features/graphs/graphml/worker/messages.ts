import type { Place } from "../parse/graphml-error.ts";
import type { GraphmlLimits } from "../types.ts";
import type { ImportReport } from "@miranda/contract/schemas/graphs.ts";

/** Messages to the import thread. Each of its messages is answered by one of these before it goes on. */
export type ToImport = { kind: "chunk"; bytes: Uint8Array | string } | { kind: "end" } | { kind: "next" };

export type FromImport =
  | { kind: "more" }
  // Rows as JSON text: the server's thread passes them to the database unparsed.
  | { kind: "rows"; table: "nodes" | "edges"; json: string }
  | { kind: "done"; report: ImportReport }
  | { kind: "refused"; reason: string; place: Place | undefined }
  | { kind: "failed"; message: string };

export interface ImportSettings {
  limits: Partial<GraphmlLimits>;
  /** How far down the imported nodes are moved. */
  top: number;
}
