import type { Draft } from "@miranda/contract/schemas/code.ts";
import type { NodeEdit, NodeEdits } from "@miranda/contract/schemas/versions.ts";

import { avatarAddress } from "../auth/auth-service.ts";
import type { EditRow, NamedNode } from "./edits-queries.ts";

interface Given {
  rows: readonly EditRow[];
  nodes: ReadonlyMap<number, NamedNode>;
  drafts: readonly Draft[];
  /** The revision of a node that is in the version. */
  revisionOf: (lineage: string) => number;
}

/** Who changed each node since a version, and who has unsaved code in it. */
export function toNodeEdits({ rows, nodes, drafts, revisionOf }: Given): NodeEdits {
  const edits = new Map<number, NodeEdit>();
  const editOf = (metadata_id: number): NodeEdit | undefined => {
    const node = nodes.get(metadata_id);
    if (!node) return undefined;
    const edit = edits.get(metadata_id) ?? { ...node, people: [], unsaved: [] };
    edits.set(metadata_id, edit);
    return edit;
  };
  for (const row of rows) {
    const node = nodes.get(row.metadata_id);
    if (!node) continue;
    const since = revisionOf(node.lineage);
    const isEdited = (row.edited_revision ?? 0) > since;
    const time = isEdited ? row.edited_at : row.moved_at;
    if (!time || (!isEdited && (row.moved_revision ?? 0) <= since)) continue;
    editOf(row.metadata_id)?.people.push({
      username: row.username ?? "",
      first_name: row.first_name ?? "Deleted account",
      last_name: row.last_name ?? "",
      avatar: row.username ? avatarAddress(row.account_id, row.avatar_version) : null,
      time: time.toISOString(),
      moved_only: !isEdited,
    });
  }
  for (const { metadata_id, authors } of drafts)
    editOf(metadata_id)?.unsaved.push(...authors.map(({ username }) => username));
  return [...edits.values()];
}
