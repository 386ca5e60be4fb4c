import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";

import { lazyPart } from "../../load-part.ts";
import type { DockSide } from "../../panels/code/node-code.tsx";
import { readStoredRecord, writeStored } from "../../storage.ts";
import { classes } from "../../ui/classes.ts";
import { PulledEdge } from "../../ui/layout/pulled-edge.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { useEditor, useUi, useView } from "./editor-context.tsx";

// The code editor loads only when code is opened.
const NodeCode = lazyPart(() => import("../../panels/code/node-code.tsx").then((m) => ({ default: m.NodeCode })));

const storedAs = "codeDock";
/** In pixels, and as fractions of the available space. */
const sizes = { min: 320, minHeight: 200, share: 0.48, max: 0.8 } as const;

interface Kept {
  side: DockSide;
  right: number;
  bottom: number;
}

/** The code of a node beside or below the canvas. On a small screen it covers the canvas. */
export function CodeDock({ room }: { room: HTMLElement | null }) {
  const { ui, actions } = useEditor();
  const dock = useUi((state) => state.dock);
  const isWide = useMedia("(min-width: 64rem)");
  const [kept, setKept] = useState(readKept);
  const panel = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useFollowedSelection();
  const close = useCallback(() => {
    ui.set({ dock: null, inspector: true });
    actions.focusSelected();
  }, [ui, actions]);
  if (!dock) return null;

  const side = isWide ? kept.side : null;
  const space = { right: room?.clientWidth ?? innerWidth, bottom: room?.clientHeight ?? innerHeight };
  const bounds = (of: DockSide) => ({
    min: of === "right" ? sizes.min : sizes.minHeight,
    max: Math.max(sizes.min, space[of] * sizes.max),
  });
  const sizeOf = (of: DockSide) => {
    const { min, max } = bounds(of);
    return Math.round(Math.max(min, Math.min(kept[of] || space[of] * sizes.share, max)));
  };
  function keep(changes: Partial<Kept>): void {
    const next = { ...kept, ...changes };
    setKept(next);
    writeStored(storedAs, JSON.stringify(next));
    actions.keepInView([dock?.id ?? -1]);
  }
  return (
    <aside
      ref={panel}
      aria-label="Code"
      data-testid="code-dock"
      data-code-dock=""
      data-side={side ?? "full"}
      className={classes(
        "relative flex min-h-0 min-w-0 flex-col bg-surface",
        side === null ? "absolute inset-0 z-30" : "shrink-0",
        side === "right" ? "border-l border-line" : side === "bottom" ? "border-t border-line" : null,
      )}
      style={side === null ? undefined : { [side === "right" ? "width" : "height"]: sizeOf(side) }}
    >
      {side === null ? null : (
        <PulledEdge
          label={side === "right" ? "Width of the code" : "Height of the code"}
          panel={panel}
          edge={side === "right" ? "left" : "top"}
          size={sizeOf(side)}
          bounds={() => bounds(side)}
          onSize={(size) => keep({ [side]: size })}
        />
      )}
      <Suspense fallback={<LoadingArea label="Opening the code" />}>
        <NodeCode
          node={dock.id}
          takesFocus={dock.takesFocus}
          base={`${pathname.replace(/\/$/, "")}/code`}
          side={side}
          onSide={(next) => keep({ side: next })}
          onClose={close}
        />
      </Suspense>
    </aside>
  );
}

/** Shows the code of a newly selected node; the cursor stays where it is. */
function useFollowedSelection(): void {
  const { ui } = useEditor();
  const shown = useUi((state) => state.dock?.id);
  const only = useUi(({ selected }) => (selected.size === 1 ? [...selected][0] : undefined));
  const isCode = useView((view) => view.resolved.nodes[only ?? -1]?.class === "Code_block");
  useEffect(() => {
    if (shown !== undefined && only !== undefined && isCode && only !== shown)
      ui.set({ dock: { id: only, takesFocus: false } });
    // Only when the selection changes: code that was opened by hand stays until then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [ui, only, isCode]);
}

function readKept(): Kept {
  const { side, right, bottom } = readStoredRecord(storedAs);
  const size = (value: unknown) => (typeof value === "number" && value > 0 && value < 1e5 ? value : 0);
  return { side: side === "bottom" ? "bottom" : "right", right: size(right), bottom: size(bottom) };
}
