import type { MergePreview } from "@miranda/contract/schemas/versions.ts";

/** The lineages of the nodes whose code a merge changes or removes, or may, depending on a decision. */
export function changedCode({ comparison, conflicts }: Pick<MergePreview, "comparison" | "conflicts">): Set<string> {
  const found = new Set<string>();
  for (const { lineage, change, fields } of comparison.nodes)
    if (change === "removed" || fields.some(({ kind }) => kind === "code")) found.add(lineage);
  for (const { lineage, kind } of conflicts)
    if (lineage !== null && (kind === "code" || kind === "deleted")) found.add(lineage);
  return found;
}
