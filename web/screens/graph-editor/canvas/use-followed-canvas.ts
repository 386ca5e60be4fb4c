import { useEffect, useState } from "react";

import { broadcast as limits } from "@miranda/contract/limits.ts";

import type { FollowedScreen } from "../../../providers/follow/follow.ts";
import { useFollow, useFollowedScreen } from "../../../providers/follow/follow-provider.tsx";
import type { Editor } from "../editor-context.tsx";
import { taking } from "./stage.ts";
import { detail } from "./level-of-detail.ts";
import type { Stage } from "./stage.ts";

const moving = 120;

/** Shows followers what this person sees of the canvas, and takes on the view of whom they follow. */
export function useFollowedCanvas({ ui, session }: Pick<Editor, "ui" | "session">, stage: Stage): void {
  const follow = useFollow();
  const [screen] = useState((): FollowedScreen => ({
    read: () => {
      const { width, height } = stage.area();
      const { x, y, zoom } = stage.view();
      const { selected, dock } = ui.get();
      return {
        screen: "canvas",
        canvas: {
          ...{ x: (width / 2 - x) / zoom, y: (height / 2 - y) / zoom },
          ...{ width: Math.max(1, width / zoom), height: Math.max(1, height / zoom) },
        },
        node: dock?.id ?? null,
        selected: [...selected].slice(0, limits.selectionMax),
      };
    },
    show: (view) => {
      if (view.screen !== "canvas") return;
      const { nodes } = session.store.view().resolved;
      // On a phone the panel of a selected node would cover the view. Their selection has their colour anyway.
      const isWide = matchMedia("(min-width: 40rem)").matches;
      const selected = isWide ? view.selected.filter((id) => nodes[id]) : [];
      const now = ui.get();
      if (selected.length !== now.selected.size || selected.some((id) => !now.selected.has(id))) ui.select(selected);
      const dock = view.node !== null && nodes[view.node] ? view.node : null;
      if (dock !== (now.dock?.id ?? null)) ui.set({ dock: dock === null ? null : { id: dock, takesFocus: false } });
      const seen = view.canvas;
      if (!seen) return;
      stage.whenAttached(() => {
        // All that they see is seen here too, also on a smaller screen.
        const { width, height } = stage.area();
        const fit = Math.min(width / seen.width, height / seen.height);
        const zoom = Math.min(detail.max, Math.max(detail.min, fit));
        const centred = { x: width / 2 - seen.x * zoom, y: height / 2 - seen.y * zoom, zoom };
        void stage.move(centred, taking(moving));
      });
    },
  }));
  useFollowedScreen(screen);
  useEffect(() => ui.watch(() => follow?.changed()), [ui, follow]);
  useEffect(() => stage.onMove(() => follow?.changed()), [stage, follow]);
}
