import { mapDocument } from "@miranda/contract/graph/graphml-mapping.ts";
import { createNotes } from "@miranda/contract/graph/graphml-notes.ts";
import type { GraphmlLimits, ImportedGraph } from "@miranda/contract/graph/graphml-types.ts";
import { graphmlLimits } from "@miranda/contract/graph/graphml-types.ts";
import type { GraphmlSource } from "./graphml-parser.ts";
import { readDocument } from "./graphml-parser.ts";

/** Reads, maps and places a whole file. It keeps the thread busy for seconds when the file is large. */
export async function parseGraphml(source: GraphmlSource, limits: Partial<GraphmlLimits> = {}): Promise<ImportedGraph> {
  const all = { ...graphmlLimits, ...limits };
  const notes = createNotes(all.notes);
  const document = await readDocument(source, notes, all);
  return mapDocument(document, notes, all);
}
