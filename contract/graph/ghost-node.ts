import { ghost } from "../limits.ts";
import type { Node, Position } from "../schemas/nodes.ts";

/** What stands on the canvas where a node was dropped until the server has made the real one. */
export function ghostNode(position: Position, now: string = new Date().toISOString()): Node {
  return {
    id: String(ghost.key),
    metadata_id: ghost.key,
    key: ghost.key,
    class: ghost.class,
    name: ghost.name,
    description: "",
    order: 0,
    position,
    colour: null,
    api: { compiled: true, error: null, disabled: false, attributes: [] },
    body: null,
    source_code: "",
    locked: true,
    git: null,
    git_branch: null,
    time_created: now,
    last_updated: now,
    last_used: null,
    status: null,
    update_policy: null,
    tags: { tags: [], user_ids: [] },
  };
}
