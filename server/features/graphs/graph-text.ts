import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { isRecord, readJson } from "@miranda/contract/json.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";

import { inSlices } from "../../platform/time-slicing.ts";
import { type EdgeRow, nodeFields, toEdge, withValues } from "../../model/graph-rows.ts";
import type { NodeTextRow } from "./graphs-queries.ts";

interface GraphRows {
  nodes: AsyncIterable<NodeTextRow[]>;
  edges: EdgeRow[];
  updates: { metadata_id: number; source_code: string; updated_at: Date }[];
  groups: NodeGroup[];
  viewOnly: boolean;
  revision: number;
}

/** A graph as the parts of a JSON text. Other requests are served between them. */
export async function* graphText({ nodes, edges, updates, ...rest }: GraphRows): AsyncGenerator<string> {
  const newer = new Map(updates.map((update) => [update.metadata_id, update]));
  const shapes = new Map<string, Shape>();
  const ends = new Map<number, Shape>();
  let comma = "";

  function nodeText(row: NodeTextRow): string {
    const shape = shapes.get(row.api) ?? shapeOf(row.api, rest.viewOnly);
    shapes.set(row.api, shape);
    ends.set(row.metadata_id, shape);
    const fields = JSON.stringify(nodeFields(row)).slice(0, -1);
    const api = row.field_values === "{}" ? shape.text : apiText(shape, row.field_values, rest.viewOnly);
    const text = `${comma}"${row.metadata_id}":${fields},"api":${api},"body":${row.body ?? "null"}`;
    comma = ",";
    const update = newer.get(row.metadata_id);
    if (!update) return `${text}}`;
    const offered = { source_code: update.source_code, last_updated: update.updated_at.toISOString() };
    return `${text},"update":${JSON.stringify(offered)}}`;
  }

  yield '{"nodes":{';
  for await (const rows of nodes) for await (const texts of inSlices(rows, nodeText)) yield texts.join("");
  yield '},"edges":[';
  const edgeText = (row: EdgeRow, at: number) => (at === 0 ? "" : ",") + JSON.stringify(toEdge(row, ends));
  for await (const texts of inSlices(edges, edgeText)) yield texts.join("");
  yield `],${JSON.stringify(rest).slice(1)}`;
}

/** Loads the next items while the current ones are in use. */
export async function* ahead<Key, Found>(
  keys: readonly Key[],
  atOnce: number,
  ask: (some: readonly Key[]) => Promise<Found>,
): AsyncGenerator<Found> {
  const from = (at: number) => (at < keys.length ? ask(keys.slice(at, at + atOnce)) : undefined);
  let next = from(0);
  for (let at = atOnce; next; at += atOnce) {
    const found = await next;
    next = from(at);
    // When the consumer stops early, ignore a failure of this lookup.
    next?.catch(() => undefined);
    yield found;
  }
}

/** What nodes with the same code share: its declarations, parsed once. */
interface Shape {
  api: NodeApi;
  /** The text when no value is set. */
  text: string;
}

function shapeOf(stored: string, reader: boolean): Shape {
  const api = parseNodeApi(stored);
  return { api, text: JSON.stringify(withValues(api, {}, reader)) };
}

function apiText({ api }: Shape, values: string, reader: boolean): string {
  const set = readJson(values);
  return JSON.stringify(withValues(api, isRecord(set) ? set : {}, reader));
}
