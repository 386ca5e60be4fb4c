import type { NodeGroup } from "../schemas/nodes.ts";

interface Taken {
  has(metadataId: number): boolean;
}

/**
 * The group that a copy of some nodes is in, with those of its members that are among them. One node taken out of a
 * larger group is taken out of it; several, or all of it, stay together.
 */
export function groupPart({ id: _id, ...group }: NodeGroup, taken: Taken): Omit<NodeGroup, "id">[] {
  const metadata_ids = group.metadata_ids.filter((id) => taken.has(id));
  const isGroup = metadata_ids.length > 1 || metadata_ids.length === group.metadata_ids.length;
  return metadata_ids.length > 0 && isGroup ? [{ ...group, metadata_ids }] : [];
}
