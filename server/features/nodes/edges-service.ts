import { edgeRefusal } from "@miranda/contract/graph/edge-rules.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import type { ChangedEdge } from "@miranda/contract/schemas/changes.ts";
import { jsonLength } from "@miranda/contract/schemas/forms.ts";
import type { Edge, EdgeBody, EdgeEnds, PutEdgeBody } from "@miranda/contract/schemas/nodes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { type EdgeRow, toEdge, toNode } from "../../model/graph-rows.ts";
import type { GraphRoom } from "../graphs/graph-room-service.ts";
import type { GraphChanges } from "./graph-changes-service.ts";
import { type EdgeKey, nodeQueries, type NodeRow } from "./nodes-queries.ts";
import type { Nodes } from "./nodes-service.ts";

export type Edges = ReturnType<typeof createEdges>;

interface Dependencies {
  nodes: Pick<Nodes, "getNode">;
  changes: GraphChanges;
  room: Pick<GraphRoom, "refuseTooLarge">;
}

export function createEdges({ nodes, changes, room }: Dependencies) {
  /** The graph that both ends are in. */
  async function graphOf(caller: Caller, { from_id, to_id }: EdgeBody): Promise<string> {
    const source = await nodes.getNode(caller, from_id, "write");
    const target = await nodes.getNode(caller, to_id, "read");
    if (source.graph_id !== target.graph_id) throw new AppError("edge_other_graph");
    return source.graph_id;
  }

  async function endsIn(queries: ReturnType<typeof nodeQueries>, { from_id, to_id }: EdgeBody) {
    const [source, target] = [await queries.find(from_id), await queries.find(to_id)];
    if (!source || !target) throw new AppError("node_not_found");
    if (source.locked || target.locked) throw new AppError("node_locked");
    return { source, target };
  }

  return {
    async create(caller: Caller, body: EdgeBody): Promise<ChangedEdge> {
      const graphId = await graphOf(caller, body);
      return changes.commit(caller, graphId, async (trx) => {
        const queries = nodeQueries(trx);
        const { source, target } = await endsIn(queries, body);
        const refusal = edgeRefusal(endOf(source), endOf(target), endsOf(body));
        if (refusal) throw new AppError(refusal);
        const row = await queries.insertEdge(graphId, caller.accountId, keyOf(body));
        if (!row) throw new AppError("edge_exists");
        await room.refuseTooLarge(trx, graphId, jsonLength(row));
        const edge = shown(row, source, target);
        return { answer: edge, change: () => ({ edges: [edge] }) };
      });
    },

    async redraw(caller: Caller, body: PutEdgeBody): Promise<ChangedEdge> {
      const graphId = await graphOf(caller, body);
      const { segments, label } = body;
      return changes.commit(caller, graphId, async (trx) => {
        const queries = nodeQueries(trx);
        const { source, target } = await endsIn(queries, body);
        const row = await queries.updateEdge(graphId, keyOf(body), {
          ...(segments && { segments }),
          ...(label !== undefined && { label }),
        });
        if (!row) throw new AppError("edge_not_found");
        await room.refuseTooLarge(trx, graphId, jsonLength({ segments, label }));
        const edge = shown(row, source, target);
        return { answer: edge, change: () => ({ edges: [edge] }) };
      });
    },

    /** An edge whose attribute is gone can still be deleted. */
    async remove(caller: Caller, body: EdgeBody): Promise<{ revision: number }> {
      const graphId = await graphOf(caller, body);
      return changes.commit(caller, graphId, async (trx) => {
        const queries = nodeQueries(trx);
        await endsIn(queries, body);
        const deleted = await queries.deleteEdges(graphId, [keyOf(body)]);
        if (deleted.length === 0) throw new AppError("edge_not_found");
        return { answer: {}, change: () => ({ deleted_edges: [endsOf(body)] }) };
      });
    },
  };
}

export function keyOf({ from_id, transmitter_key, to_id, receiver_key }: EdgeBody): EdgeKey {
  return { source_id: from_id, transmitter: transmitter_key, target_id: to_id, receiver: receiver_key };
}

export function endsOf({ from_id, transmitter_key, to_id, receiver_key }: EdgeBody): EdgeEnds {
  return {
    source_wob_key: from_id,
    source_transmitter_key: transmitter_key,
    destination_wob_key: to_id,
    destination_receiver_key: receiver_key,
  };
}

export function endOf(row: NodeRow) {
  return { key: row.metadata_id, attributes: parseNodeApi(row.api).attributes };
}

function shown(row: EdgeRow, source: NodeRow, target: NodeRow): Edge {
  return toEdge(row, new Map([source, target].map((node) => [node.metadata_id, toNode(node, true)])));
}
