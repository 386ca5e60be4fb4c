import { mapDocument } from "./map/map-graph.ts";
import { createNotes } from "./notes.ts";
import type { GraphmlLimits, ImportedGraph } from "./types.ts";
import { graphmlLimits } from "./types.ts";
import type { GraphmlSource } from "./parse/parser.ts";
import { readDocument } from "./parse/parser.ts";

/** Reads, maps and lays out a whole file. Blocks its thread for seconds when the file is large. */
export async function parseGraphml(source: GraphmlSource, limits: Partial<GraphmlLimits> = {}): Promise<ImportedGraph> {
  const all = { ...graphmlLimits, ...limits };
  const notes = createNotes(all.notes);
  const document = await readDocument(source, notes, all);
  return mapDocument(document, notes, all);
}
