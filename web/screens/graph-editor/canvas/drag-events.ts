import { idOf } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Edge } from "@miranda/contract/schemas/nodes.ts";

import { edgeUnder, insertion } from "../edges/insertion.ts";
import type { Editor } from "../editor-context.tsx";
import type { AnyFlowNode } from "./flow-model.ts";

type DragEvent = Pick<MouseEvent, "altKey"> | TouchEvent;

/** What a drop of nodes does: it moves them, with Alt it adds copies, and on an edge it inserts a node. */
export function createDragEvents({ session, actions }: Pick<Editor, "session" | "actions">) {
  let marked: Element | undefined;

  /** The edge that would take this node in. */
  function edgeFor(node: AnyFlowNode, dragged: readonly AnyFlowNode[]): { edge: Edge; element: Element } | undefined {
    const card = document.querySelector(`.react-flow__node[data-id="${CSS.escape(node.id)}"]`);
    const element = node.type === "card" && dragged.length === 1 && card ? edgeUnder(card) : undefined;
    if (!element) return undefined;
    const { resolved } = session.store.view();
    const edge = resolved.edges.find((one) => idOf(one) === element.dataset["id"]);
    if (!edge || !insertion(resolved.nodes, session.store.content().edges, Number(node.id), edge)) return undefined;
    return { edge, element };
  }

  function mark(element: Element | undefined): void {
    if (element === marked) return;
    marked?.classList.remove("edge-takes");
    element?.classList.add("edge-takes");
    marked = element;
  }

  return {
    onNodeDrag(event: DragEvent, node: AnyFlowNode, dragged: AnyFlowNode[]): void {
      mark(event.altKey ? undefined : edgeFor(node, dragged)?.element);
    },
    onNodeDragStop(event: DragEvent, node: AnyFlowNode, dragged: AnyFlowNode[]): void {
      const into = event.altKey ? undefined : edgeFor(node, dragged)?.edge;
      mark(undefined);
      actions.drop({ isCopy: event.altKey, into });
    },
    onSelectionDragStop: (event: DragEvent) => actions.drop({ isCopy: event.altKey }),
  };
}
