/** How much is drawn at which zoom. */
export const detail = {
  /** Below this, cards show only their name. */
  plainBelow: 0.42,
  /** Below this, and with more nodes than the browser draws easily, one canvas shows them all. */
  farBelow: 0.3,
  farNodes: 250,
  min: 0.02,
  max: 2.5,
} as const;

export function isFar(zoom: number, nodeCount: number): boolean {
  return zoom < detail.farBelow && nodeCount > detail.farNodes;
}
