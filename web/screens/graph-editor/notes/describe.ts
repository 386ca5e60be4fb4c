import type { Node } from "@miranda/contract/schemas/nodes.ts";

import type { GraphSession } from "../../../providers/graph/graph-session.ts";
import { mergeNote } from "./merge-note.ts";

interface Dependencies {
  session: Pick<GraphSession, "store" | "run">;
  notify: (message: string) => void;
}

/** Stores the text of a note or the description of a node. `base` is the text that the person began with. */
export function createDescribe({ session, notify }: Dependencies) {
  const { store } = session;

  return async function describe({ metadata_id: id }: Node, text: string, base: string): Promise<void> {
    const stored = store.content().nodes[id]?.description;
    if (text === base || stored === undefined) return;
    const { text: merged, isConflict } = mergeNote(base, stored, text);
    if (merged === stored) return;
    const by = store.changerOf([{ type: "field", id, field: "description" }]) ?? "Somebody else";
    if (isConflict) notify(`${by} changed the same words meanwhile, so your version was put below theirs.`);
    await session.run({ type: "patch", id, changes: { description: merged } });
  };
}
