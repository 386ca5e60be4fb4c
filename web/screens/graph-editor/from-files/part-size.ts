import { nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import type { PastedNode } from "@miranda/contract/schemas/changes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { type Box, boundsOf } from "../actions/arrange.ts";

/** A node that is not on the canvas yet. */
export type NewNode = Pick<Node, "class" | "position"> & Partial<Pick<PastedNode, "api" | "body">>;

/** How much space new nodes take together. */
export function partSize(nodes: readonly NewNode[]): Pick<Box, "width" | "height"> {
  const { width, height } = boundsOf(nodes.map((node) => ({ ...node.position, ...cardSize(node) })));
  return { width, height };
}

function cardSize({ class: nodeClass, api, body }: NewNode): Pick<Box, "width" | "height"> {
  const attributes = api?.attributes ?? withPolicyReceivers([]);
  const { width, height } = nodeLayout({
    class: nodeClass,
    api: { compiled: true, error: null, disabled: false, attributes },
    body,
    tags: { tags: [] },
  });
  return { width, height };
}
