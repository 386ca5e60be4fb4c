/** The header that carries the code of a refusal. Programs compare the code, people read the words. */
export const errorHeader = "x-miranda-error";

/** What caused a refusal: a line of a node's code, or one of its fields. */
export type RefusedPlace = { node: number } & ({ line: number } | { field: string });

/** As `node:line`; only `node` when a field caused the refusal. */
const placeHeader = "x-miranda-place";
/** The name of the field, percent-encoded: it may have characters that a header cannot have. */
const fieldHeader = "x-miranda-field";

export function placeHeaders({ node, ...place }: RefusedPlace): Record<string, string> {
  if ("line" in place) return { [placeHeader]: `${node}:${place.line}` };
  return { [placeHeader]: `${node}`, [fieldHeader]: encodeURIComponent(place.field) };
}

export function readPlace(headers: { get: (name: string) => string | null }): RefusedPlace | undefined {
  const [node, line] = (headers.get(placeHeader) ?? "").split(":").map(Number);
  const field = headers.get(fieldHeader);
  if (!node) return undefined;
  if (field !== null) return { node, field: decodeURIComponent(field) };
  return line ? { node, line } : undefined;
}
