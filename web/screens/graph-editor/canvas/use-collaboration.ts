import { useEffect } from "react";
import { toast } from "../../../ui/overlay/toast.ts";

import { broadcast as limits } from "@miranda/contract/limits.ts";
import type { Position } from "@miranda/contract/schemas/nodes.ts";

import { useOpenGraph } from "../../../providers/object-provider.tsx";
import type { Editor } from "../editor-context.tsx";

const pointerEvery = 60;
const dragEvery = 80;
const mostDragged = 20;

/** Tells the others what is selected, where the pointer is and what is being dragged, and notices what they take away. */
export function useTogether({ realtime, ui, others, session, actions }: Editor, pane: HTMLElement | null): void {
  const { members } = useOpenGraph();

  useEffect(() => others.listen(), [others]);
  useEffect(() => others.keepOnly(new Set(members.map(({ username }) => username))), [others, members]);

  useEffect(() => {
    let cursor: Position | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      clearTimeout(timer);
      timer = undefined;
      realtime.broadcast("selection", { metadata_ids: [...ui.get().selected].slice(0, limits.selectionMax), cursor });
    };
    const tellSoon = () => {
      timer ??= setTimeout(tell, pointerEvery);
    };
    const onMove = (event: PointerEvent) => {
      cursor = actions.toCanvas({ x: event.clientX, y: event.clientY });
      tellSoon();
    };
    const onLeave = () => {
      cursor = null;
      tellSoon();
    };
    let { selected, drag } = ui.get();
    let draggedAt = 0;
    const stopUi = ui.watch(() => {
      const now = ui.get();
      if (now.selected !== selected) tellSoon();
      if (now.drag && now.drag !== drag && now.drag.size <= mostDragged && Date.now() - draggedAt > dragEvery) {
        draggedAt = Date.now();
        for (const [metadata_id, position] of now.drag)
          realtime.broadcast("update[wob]", { metadata_id, changes: { position } });
      }
      ({ selected, drag } = now);
    });
    // Of several tabs the one in use speaks for its person, and says so when it comes to be in use.
    const stopEntered = realtime.on("entered_project", () => {
      if (document.visibilityState === "visible") tellSoon();
    });
    addEventListener("focus", tellSoon);
    pane?.addEventListener("pointermove", onMove);
    pane?.addEventListener("pointerleave", onLeave);
    return () => {
      clearTimeout(timer);
      stopUi();
      stopEntered();
      removeEventListener("focus", tellSoon);
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
      // What this person deletes is no longer selected by then: somebody else did this.
      const [first] = lost.map((id) => before[id]?.name);
      ui.select([...ui.get().selected].filter((id) => nodes[id]));
      const what = lost.length === 1 && first ? `“${first}”` : `${lost.length} nodes`;
      const them = lost.length === 1 ? "it" : "them";
      // Whoever listens to the same event after us must have heard it first: it says who it was.
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
