import { useStore } from "@xyflow/react";
import { MousePointer2 } from "lucide-react";
import { useSyncExternalStore } from "react";

import { useEditor } from "../editor-context.tsx";

/** The pointers of other people. They keep their size at every zoom. */
export function CanvasCursors() {
  const { peers } = useEditor();
  const all = useSyncExternalStore(peers.watch, peers.all);
  const [x, y, zoom] = useStore((flow) => flow.transform);
  return (
    <div className="pointer-events-none absolute inset-0 z-10 overflow-hidden" aria-hidden="true">
      {all.map(({ sender, colour, cursor }) =>
        cursor ? (
          <div
            key={sender}
            data-testid="cursor"
            className="absolute top-0 left-0 transition-transform duration-75 ease-linear"
            style={{ transform: `translate(${cursor.x * zoom + x}px, ${cursor.y * zoom + y}px)`, color: colour }}
          >
            <MousePointer2 className="size-4.5" fill="currentColor" stroke="var(--surface)" />
            <span
              className="absolute top-4 left-3 rounded-sm px-1.5 py-px text-2xs font-semibold whitespace-nowrap"
              style={{ background: colour, color: "white" }}
            >
              {sender}
            </span>
          </div>
        ) : null,
      )}
    </div>
  );
}
