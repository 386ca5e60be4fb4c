import { readAttributeValue } from "@miranda/contract/graph/attributes/attribute-value.ts";
import { readUnfitText } from "@miranda/contract/graph/attributes/unfit-text.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import type { Attribute, NodeApi } from "@miranda/contract/schemas/attributes.ts";
import { jsonLength } from "@miranda/contract/schemas/forms.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";

import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { storable } from "../../platform/database/storable-json.ts";
import type { DeclaredApi } from "../declarations/declarations-service.ts";
import { toContent, toNode } from "../../model/graph-rows.ts";
import type { GraphRoom } from "../graphs/graph-room-service.ts";
import type { ChangeView } from "./graph-changes-service.ts";
import { asJson, nodeQueries, type NodeRow, type NodeUpdate } from "./nodes-queries.ts";

/** The columns that new code changes. Wrong code is stored, with the last good attributes and the error. */
export function codeUpdate(
  row: NodeRow,
  source_code: string,
  declared: DeclaredApi,
  disabled: boolean | undefined,
): NodeUpdate {
  const before = parseNodeApi(row.api);
  const { error } = declared;
  const attributes = error === null ? declared.attributes : before.attributes;
  const api: NodeApi = {
    compiled: error === null,
    error,
    disabled: disabled ?? before.disabled,
    attributes: withPolicyReceivers(attributes.map(declaredOnly)),
  };
  const read = readAgain(row.field_values, api.attributes);
  return { source_code, api: storedApi(api), ...(read && { field_values: asJson(storable(read)) }) };
}

/** What somebody typed and the code before could not read may be a value of the new code. */
function readAgain(
  values: NodeRow["field_values"],
  attributes: readonly Attribute[],
): NodeRow["field_values"] | undefined {
  const read = attributes.flatMap((attribute): [string, unknown][] => {
    const text = Object.hasOwn(values, attribute.name) ? readUnfitText(values[attribute.name]) : undefined;
    const found = text === undefined ? undefined : readAttributeValue(attribute, text);
    return found && "value" in found ? [[attribute.name, found.value]] : [];
  });
  return read.length > 0 ? { ...values, ...Object.fromEntries(read) } : undefined;
}

/**
 * Stores new code for several nodes of a graph, inside its transaction. Nodes deleted or locked meanwhile are skipped.
 */
export async function storeCodes(
  trx: Db,
  caller: Caller,
  { graphId, room }: { graphId: string; room: GraphRoom },
  codes: ReadonlyMap<number, { code: string; declared: DeclaredApi }>,
): Promise<{ rows: NodeRow[]; change: ChangeView }> {
  const queries = nodeQueries(trx);
  const rows: NodeRow[] = [];
  const edges: Edge[] = [];
  let added = 0;
  for (const before of await queries.list(graphId, [...codes.keys()])) {
    const given = codes.get(before.metadata_id);
    if (!given || before.locked || before.source_code === given.code) continue;
    const change = codeUpdate(before, given.code, given.declared, undefined);
    const after = await queries.update(before.metadata_id, caller.accountId, change);
    rows.push(after);
    edges.push(...(await edgesAt(queries, after)));
    added += sizeOf(after) - sizeOf(before);
  }
  await room.refuseTooLarge(trx, graphId, added);
  const shown = ["source_code", "api"] as const;
  return {
    rows,
    change: (reader) => ({
      nodes: rows.map((row) => partOf(row, shown, reader)),
      ...(edges.length > 0 && { edges }),
    }),
  };
}

/** New attributes change the texts of the edges at them. */
export async function edgesAt(
  queries: ReturnType<typeof nodeQueries>,
  { graph_id, metadata_id }: NodeRow,
): Promise<Edge[]> {
  const edges = await queries.edgesOf(graph_id, [metadata_id]);
  const ends = await queries.list(
    graph_id,
    edges.flatMap((edge) => [edge.source_id, edge.target_id]),
  );
  return toContent(ends, edges, true).edges;
}

export function sizeOf({ source_code, api, description, body }: NodeRow): number {
  return source_code.length + description.length + jsonLength(api) + jsonLength(body);
}

/** An api as the database takes it. */
export function storedApi(api: NodeApi) {
  return asJson(storable(api));
}

/** An attribute as the code declares it, without what edges and people made of it. */
export function declaredOnly(attribute: Attribute): Attribute {
  const { default: declared, ...rest } = attribute;
  return { ...rest, is_connected: false, value: declared === undefined ? rest.value : declared };
}

export function partOf(
  row: NodeRow,
  fields: readonly (keyof Node)[],
  reader: boolean,
): Partial<Node> & { metadata_id: number } {
  const node = toNode(row, reader);
  const part: Partial<Node> = {};
  for (const field of fields) copyField(node, part, field);
  return { ...part, last_updated: node.last_updated, metadata_id: node.metadata_id };
}

function copyField<Field extends keyof Node>(from: Node, to: Partial<Node>, field: Field): void {
  to[field] = from[field];
}
