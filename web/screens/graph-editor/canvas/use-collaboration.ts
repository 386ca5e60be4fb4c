import { useEffect } from "react";
import { toast } from "../../../ui/overlay/toast.ts";

import { broadcast as limits } from "@miranda/contract/limits.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";

import { useOpenGraph } from "../../../providers/object-provider.tsx";
import type { Editor } from "../editor-context.tsx";

const pointerEvery = 60;
const dragEvery = 80;
const maxDragged = 20;

/** Broadcasts the selection, the pointer and drags, and warns when another person deletes selected nodes. */
export function useCollaboration({ realtime, ui, peers, session, actions }: Editor, pane: HTMLElement | null): void {
  const { members } = useOpenGraph();

  useEffect(() => peers.listen(), [peers]);
  useEffect(() => peers.keepOnly(new Set(members.map(({ username }) => username))), [peers, members]);

  useEffect(() => {
    let cursor: Position | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const publish = () => {
      clearTimeout(timer);
      timer = undefined;
      realtime.broadcast("selection", { metadata_ids: [...ui.get().selected].slice(0, limits.selectionMax), cursor });
    };
    const publishSoon = () => {
      timer ??= setTimeout(publish, pointerEvery);
    };
    const onMove = (event: PointerEvent) => {
      cursor = actions.toCanvas({ x: event.clientX, y: event.clientY });
      publishSoon();
    };
    const onLeave = () => {
      cursor = null;
      publishSoon();
    };
    let { selected, drag } = ui.get();
    let draggedAt = 0;
    const stopUi = ui.watch(() => {
      const now = ui.get();
      if (now.selected !== selected) publishSoon();
      if (now.drag && now.drag !== drag && now.drag.size <= maxDragged && Date.now() - draggedAt > dragEvery) {
        draggedAt = Date.now();
        for (const [metadata_id, position] of now.drag)
          realtime.broadcast("update[wob]", { metadata_id, changes: { position } });
      }
      ({ selected, drag } = now);
    });
    // Of several tabs, the one in use broadcasts for its person. It does so again when it becomes the one in use.
    const stopEntered = realtime.on("entered_project", () => {
      if (document.visibilityState === "visible") publishSoon();
    });
    addEventListener("focus", publishSoon);
    pane?.addEventListener("pointermove", onMove);
    pane?.addEventListener("pointerleave", onLeave);
    return () => {
      clearTimeout(timer);
      stopUi();
      stopEntered();
      removeEventListener("focus", publishSoon);
      pane?.removeEventListener("pointermove", onMove);
      pane?.removeEventListener("pointerleave", onLeave);
    };
  }, [realtime, ui, actions, pane]);

  useEffect(() => {
    let known = session.store.view().resolved.nodes;
    let by: string | undefined;
    const stopChange = realtime.on("update[GRAPH]", (change) => {
      if (change.deleted_nodes) ({ by } = change);
    });
    const stopBroadcast = realtime.on("broadcast(delete[wob])", ({ sender }) => {
      by = sender;
    });
    const stopStore = session.store.watch(() => {
      const { nodes } = session.store.view().resolved;
      const before = known;
      known = nodes;
      if (nodes === before) return;
      const lost = [...ui.get().selected].filter((id) => !nodes[id]);
      if (lost.length === 0) return;
      // A person's own deletion clears the selection first, so another person did this.
      const [first] = lost.map((id) => before[id]?.name);
      ui.select([...ui.get().selected].filter((id) => nodes[id]));
      const what = lost.length === 1 && first ? `“${first}”` : `${lost.length} nodes`;
      const them = lost.length === 1 ? "it" : "them";
      // The listener for the same event that sets `by` may run after this one, so wait for it.
      queueMicrotask(() => toast.warning(`${by ?? "Somebody"} deleted ${what} while you had ${them} open.`));
      if (ui.get().renaming !== null && lost.includes(ui.get().renaming ?? -1)) ui.set({ renaming: null });
    });
    return () => {
      stopChange();
      stopBroadcast();
      stopStore();
    };
  }, [realtime, session, ui]);
}
