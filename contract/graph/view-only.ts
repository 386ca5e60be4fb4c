/** A graph may be changed only when its data says so: while it loads, and from a server that says nothing, it may not. */
export function isViewOnly(graph: { viewOnly?: boolean | undefined } | null | undefined): boolean {
  return graph?.viewOnly !== false;
}
