import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { readNode } from "../../api/nodes.ts";
import type { Realtime } from "../../api/socket.ts";
import { logWarning } from "../../log.ts";
import type { createChangeOrder } from "./change-order.ts";
import {
  patchNode,
  putEdges,
  putNodes,
  removeEdges,
  removeNodes,
  setValue,
  unsetValue,
} from "@miranda/contract/graph/edit-content.ts";
import { type GraphStore, targets } from "./graph-store.ts";

interface Listening {
  graphId: string;
  realtime: Realtime;
  store: GraphStore;
  order: ReturnType<typeof createChangeOrder>;
}

/** Applies the server's events and other people's broadcasts to an open graph. */
export function listenToGraph({ graphId, realtime, store, order }: Listening): () => void {
  const stops = [
    realtime.on("update[GRAPH]", (change) => {
      if (change.graph_id === graphId) order.take(change);
    }),
    realtime.on("update[VIEW]", (event) => void refreshNode(event)),
    realtime.on("status", ({ metadata_id, status }) => {
      if (isKnown(metadata_id, "status")) store.patch(metadata_id, { status });
    }),
    realtime.on("access", (event) => {
      if (event.graph_id === graphId) store.setViewOnly(event.viewOnly);
    }),
    ...listenToOthers(),
  ];

  function isKnown(metadataId: number, event: string): boolean {
    if (store.content().nodes[metadataId]) return true;
    logWarning(`${event} is about the node ${metadataId}, which is not here.`);
    return false;
  }

  async function refreshNode(
    event: { metadata_id?: number; revision?: number | undefined } | undefined,
  ): Promise<void> {
    const metadataId = event?.metadata_id;
    if (metadataId === undefined) return logWarning("update[VIEW] names no metadata_id.");
    // The change of that revision is already here: there is nothing left to fetch.
    if (event?.revision !== undefined && event.revision <= store.revision()) return;
    if (!isKnown(metadataId, "update[VIEW]")) return;
    try {
      await readAgain(metadataId);
    } catch (cause) {
      logWarning("The node could not be read again.", cause);
    }
  }

  /** What was changed while the answer was on its way may be newer than the answer, and a node that went must not come back. */
  async function readAgain(metadataId: number): Promise<void> {
    for (;;) {
      const known = store.base().nodes[metadataId];
      if (!known) return;
      const node = await readNode(metadataId, known.class);
      if (store.base().nodes[metadataId] === known) return store.refresh(node);
    }
  }

  function listenToOthers() {
    return [
      realtime.on("broadcast(setNodeDisabled)", ({ sender, data }) => {
        if (!isKnown(data.metadata_id, "setNodeDisabled")) return;
        store.hint(targets.api(data.metadata_id), sender, (content) => {
          const api = content.nodes[data.metadata_id]?.api;
          return api ? patchNode(content, data.metadata_id, { api: { ...api, disabled: data.disabled } }) : content;
        });
      }),
      realtime.on("broadcast(update[attribute])", ({ sender, data }) => {
        if (!isKnown(data.metadata_id, "update[attribute]")) return;
        store.hint(targets.attribute(data.metadata_id, data.name), sender, (content) =>
          data.unset === true
            ? unsetValue(content, data.metadata_id, data.name)
            : setValue(content, data.metadata_id, data.name, data.value ?? null),
        );
      }),
      realtime.on("broadcast(update[CODE])", ({ sender, data }) => {
        if (!isKnown(data.metadata_id, "update[CODE]")) return;
        const changes: Partial<Node> = { source_code: data.source_code, ...(data.api && { api: data.api }) };
        store.hint(targets.api(data.metadata_id), sender, (content) => patchNode(content, data.metadata_id, changes));
      }),
      realtime.on("broadcast(update[wob])", ({ sender, data }) => {
        if (!isKnown(data.metadata_id, "update[wob]")) return;
        const { changes } = data;
        const isMove = changes.position !== undefined && Object.keys(changes).length === 1;
        const target = isMove ? targets.position(data.metadata_id) : targets.fields(data.metadata_id);
        store.hint(target, sender, (content) =>
          content.nodes[data.metadata_id]
            ? putNodes(content, [{ ...changes, metadata_id: data.metadata_id }])
            : content,
        );
      }),
      realtime.on("broadcast(create[edge])", ({ sender, data }) => {
        store.hint(targets.edge(edgeKey(data)), sender, (content) => putEdges(content, [data]));
      }),
      realtime.on("broadcast(delete[edge])", ({ sender, data }) => {
        store.hint(targets.edge(edgeKey(data)), sender, (content) => removeEdges(content, [data]));
      }),
      realtime.on("broadcast(create[wob])", ({ sender, data }) => {
        if (store.content().nodes[data.metadata_id]) return;
        store.hint(targets.node(data.metadata_id), sender, (content) =>
          content.nodes[data.metadata_id] ? content : putNodes(content, [data]),
        );
      }),
      realtime.on("broadcast(delete[wob])", ({ sender, data }) => {
        if (!store.content().nodes[data.metadata_id]) return;
        store.hint(targets.node(data.metadata_id), sender, (content) => removeNodes(content, [data.metadata_id]));
      }),
      realtime.on("broadcast(create[blueprint])", ({ sender, data }) => {
        for (const node of Object.values(data.nodes)) {
          if (store.content().nodes[node.metadata_id]) continue;
          store.hint(targets.node(node.metadata_id), sender, (content) =>
            content.nodes[node.metadata_id] ? content : putNodes(content, [node]),
          );
        }
        for (const edge of data.edges)
          store.hint(targets.edge(edgeKey(edge)), sender, (content) => putEdges(content, [edge]));
      }),
    ];
  }

  return () => {
    for (const stop of stops) stop();
  };
}
