import type { NodeGroup } from "../schemas/nodes.ts";

interface Taken {
  has(metadataId: number): boolean;
}

/**
 * The group for a copy of some nodes, with those of its members that are copied. A single node of a larger group leaves
 * the group; several nodes, or the whole group, stay together.
 */
export function groupPart({ id: _id, ...group }: NodeGroup, taken: Taken): Omit<NodeGroup, "id">[] {
  const metadata_ids = group.metadata_ids.filter((id) => taken.has(id));
  const isGroup = metadata_ids.length > 1 || metadata_ids.length === group.metadata_ids.length;
  return metadata_ids.length > 0 && isGroup ? [{ ...group, metadata_ids }] : [];
}
