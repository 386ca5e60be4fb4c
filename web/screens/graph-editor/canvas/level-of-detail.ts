/** How much is drawn at which zoom. */
export const detail = {
  /** Below this, cards show their name only. */
  plainBelow: 0.42,
  /** Below this, and with more nodes than the browser draws with ease, one canvas shows them all. */
  farBelow: 0.3,
  farNodes: 250,
  least: 0.02,
  most: 2.5,
} as const;

export function isFar(zoom: number, nodeCount: number): boolean {
  return zoom < detail.farBelow && nodeCount > detail.farNodes;
}
