import { formText } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import type { GraphSession } from "../../../providers/graph/graph-session.ts";
import type { EditorStore, UnsavedReason } from "../editor-state.ts";
import { mergeNote } from "./merge-note.ts";

interface Dependencies {
  session: Pick<GraphSession, "store" | "run">;
  ui: Pick<EditorStore, "set">;
  notify: (message: string) => void;
}

/** Stores the text of a note or the description of a node. `base` is the text that the person began with. */
export function createDescribe({ session, ui, notify }: Dependencies) {
  const { store } = session;

  function whyNot(id: number): UnsavedReason | undefined {
    const node = store.content().nodes[id];
    if (!node) return "deleted";
    if (store.view().viewOnly) return "view-only";
    return node.locked ? "locked" : undefined;
  }

  /** A description goes with its node. The text of a note is all that it has, so its author can copy it. */
  function offer(note: Node, text: string, reason: UnsavedReason): void {
    if (note.class === "note") ui.set({ renaming: null, dialog: { type: "unsaved-note", note, text, reason } });
  }

  return async function describe(node: Node, text: string, base: string): Promise<void> {
    if (text === base) return;
    const id = node.metadata_id;
    const stored = store.content().nodes[id]?.description ?? "";
    const { text: merged, isConflict } = mergeNote(base, stored, text);
    const reason = whyNot(id) ?? (merged.length > formText.descriptionMax ? "too-long" : undefined);
    if (reason) return offer(node, text, reason);
    if (merged === stored) return;
    const by = store.changerOf([{ type: "field", id, field: "description" }]) ?? "Somebody else";
    if (isConflict) notify(`${by} changed the same words meanwhile, so your version was put below theirs.`);
    const isStored = await session.run({ type: "patch", id, changes: { description: merged } });
    if (!isStored) offer(node, text, whyNot(id) ?? "refused");
  };
}
