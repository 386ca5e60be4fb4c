/** A graph may be edited only when its data says so: not while it loads, and not when the server says nothing. */
export function isViewOnly(graph: { viewOnly?: boolean | undefined } | null | undefined): boolean {
  return graph?.viewOnly !== false;
}
