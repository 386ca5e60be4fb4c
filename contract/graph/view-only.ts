/** A graph may be edited only when its data allows it: not while it loads, and not when the server omits the field. */
export function isViewOnly(graph: { viewOnly?: boolean | undefined } | null | undefined): boolean {
  return graph?.viewOnly !== false;
}
