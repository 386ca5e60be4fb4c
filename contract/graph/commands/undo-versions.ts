import { sameJson } from "../../json.ts";
import type { GraphContent } from "../content.ts";
import { endsOf } from "../content.ts";
import type { GraphPart } from "../graph-part.ts";
import type { Command, CommandOf, Since, Skipped, UndoSplit } from "./command.ts";
import { splitDelete } from "./undo-parts.ts";
import { changedPart, deletedNode, differencesOf, drawingOf, inOrder, nothingToUndo } from "./undo.ts";

/**
 * Undoes a restore or a merge. When nobody changed anything since, the whole workflow becomes as it was. Otherwise only
 * the nodes that the restore changed, except those that somebody else changed since.
 */
export function splitVersion({ version, was }: CommandOf<"restoreVersion">, since: Since): UndoSplit {
  const { now, left, isOwnCode } = since;
  const nobodyElse = () => false;
  const after = differencesBetween(left, now, isOwnCode);
  if (!was || (after.size === 0 && sameJson(groupsOf(left), groupsOf(now))))
    return { ...nothingToUndo, free: { type: "restoreVersion", version } };

  const restored = [...differencesBetween(was, left, nobodyElse).keys()];
  const added = restored.filter((id) => !was.nodes[id]);
  const deletion = splitDelete({ type: "delete", ids: added, edges: [], groups: [] }, since);
  const free: number[] = [];
  const taken: number[] = [];
  const skipped: Skipped[] = [];
  for (const id of restored.filter((one) => was.nodes[one])) {
    const differs = after.get(id);
    (differs ? taken : free).push(id);
    if (!differs) continue;
    const node = now.nodes[id];
    skipped.push(node ? changedPart({ type: "node", id }, [node.name], differs) : deletedNode(id, since));
  }
  return {
    free: restoreOf(version, free, deletion.free),
    taken: restoreOf(version, taken, deletion.taken),
    skipped: [...skipped, ...deletion.skipped],
  };
}

function restoreOf(version: string, ids: readonly number[], deletion: Command | undefined): Command | undefined {
  if (ids.length === 0) return deletion;
  const added = deletion?.type === "delete" ? deletion.ids : [];
  return { type: "restoreVersion", version, ids, added };
}

/** What differs in each node between two graphs. An edge belongs to the node that it ends at. */
function differencesBetween(
  before: GraphContent,
  after: GraphContent,
  isOwnCode: Since["isOwnCode"],
): Map<number, GraphPart[]> {
  const found = new Map<number, GraphPart[]>();
  const add = (id: number, parts: readonly GraphPart[]) => {
    if (parts.length > 0) found.set(id, [...(found.get(id) ?? []), ...parts]);
  };
  for (const node of Object.values(after.nodes)) {
    const earlier = before.nodes[node.metadata_id];
    if (node !== earlier) add(node.metadata_id, differencesOf(node, earlier, isOwnCode));
  }
  for (const { metadata_id: id } of Object.values(before.nodes)) if (!after.nodes[id]) add(id, [{ type: "node", id }]);
  for (const key of new Set([...Object.keys(before.edges), ...Object.keys(after.edges)])) {
    const [one, other] = [before.edges[key], after.edges[key]];
    const edge = one ?? other;
    if (edge && one !== other && !(one && other && sameJson(drawingOf(one), drawingOf(other))))
      add(edge.destination_wob_key, [{ type: "edge", ends: endsOf(edge) }]);
  }
  return found;
}

function groupsOf({ groups }: GraphContent) {
  return Object.fromEntries(Object.entries(groups).map(([id, group]) => [id, inOrder(group)]));
}
