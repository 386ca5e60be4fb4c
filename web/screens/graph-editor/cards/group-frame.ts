import type { NodeGroup } from "@miranda/contract/schemas/nodes.ts";

import { boundsOf, type Box } from "../actions/arrange.ts";

export const collapsedSize = { width: 232, height: 68 } as const;
const padding = { side: 20, top: 44, bottom: 20 } as const;

/** The position and size of a group's frame, or of its card when it is collapsed. */
export function frameOf({ collapsed }: Pick<NodeGroup, "collapsed">, members: readonly Box[]): Omit<Box, "id"> {
  const { x, y, width, height } = boundsOf(members);
  if (collapsed) return { x, y, ...collapsedSize };
  const { side, top, bottom } = padding;
  return { x: x - side, y: y - top, width: width + 2 * side, height: height + top + bottom };
}
