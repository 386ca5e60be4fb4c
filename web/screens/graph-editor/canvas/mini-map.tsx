import { useStoreApi } from "@xyflow/react";
import { type PointerEvent, useDeferredValue, useEffect, useMemo, useRef } from "react";

import { useEditor, useUi, useView } from "../editor-context.tsx";
import { groupCards } from "../cards/collapsed-groups.ts";
import { usePast } from "./past-view.ts";
import { colourReader } from "../../../ui/colour-reader.ts";
import { boundsOfPicture, drawFar, pictureOf } from "../far-view/far-drawing.ts";

const size = { width: 176, height: 112 } as const;
const margin = 6;

/** The whole graph in a corner, with the visible part. One canvas: a thousand nodes cost no more than ten. */
export function MiniMap() {
  const flow = useStoreApi();
  const { actions, session } = useEditor();
  const resolved = useView((view) => view.resolved);
  const drag = useUi((state) => state.drag);
  const past = usePast();
  const canvas = useRef<HTMLCanvasElement>(null);

  // Deferred: the map is not urgent, and at first thousands of nodes are being drawn.
  const seen = useDeferredValue(resolved, null);
  const { picture, bounds } = useMemo(() => {
    const nodes = seen?.nodes ?? {};
    const made = pictureOf({ nodes, edges: [] }, { drag, past, ...(seen && { cards: groupCards(seen) }) });
    return { picture: made, bounds: boundsOfPicture(made) };
  }, [seen, drag, past]);

  const zoom = Math.min(
    (size.width - 2 * margin) / Math.max(bounds.width, 1),
    (size.height - 2 * margin) / Math.max(bounds.height, 1),
  );
  const x = size.width / 2 - (bounds.x + bounds.width / 2) * zoom;
  const y = size.height / 2 - (bounds.y + bounds.height / 2) * zoom;

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    // The nodes are drawn once; only the frame of the visible part moves with the view.
    const still = document.createElement("canvas");
    const ratio = Math.min(devicePixelRatio, 2);
    for (const one of [element, still]) {
      one.width = size.width * ratio;
      one.height = size.height * ratio;
    }
    let colourOf = colourReader(element);
    const drawStill = () => {
      const drawing = still.getContext("2d");
      drawing?.setTransform(ratio, 0, 0, ratio, 0, 0);
      const all = { left: 0, top: 0, right: size.width, bottom: size.height };
      if (drawing) drawFar(drawing, picture, { x, y, zoom }, all, colourOf);
    };
    let frame = 0;
    const draw = () => {
      frame = 0;
      const { transform, width, height } = flow.getState();
      const [left, top, scale] = transform;
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, element.width, element.height);
      context.globalAlpha = 0.6;
      context.drawImage(still, 0, 0);
      context.globalAlpha = 1;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.strokeStyle = colourOf("var(--accent)");
      context.lineWidth = 1.5;
      const window = {
        x: Math.max((-left / scale) * zoom + x, 1),
        y: Math.max((-top / scale) * zoom + y, 1),
        right: Math.min(((width - left) / scale) * zoom + x, size.width - 1),
        bottom: Math.min(((height - top) / scale) * zoom + y, size.height - 1),
      };
      context.strokeRect(window.x, window.y, window.right - window.x, window.bottom - window.y);
    };
    const request = () => {
      frame ||= requestAnimationFrame(draw);
    };
    drawStill();
    draw();
    const stop = flow.subscribe(request);
    const theme = new MutationObserver(() => {
      colourOf = colourReader(element);
      drawStill();
      request();
    });
    theme.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => {
      stop();
      theme.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [flow, picture, x, y, zoom]);

  function go(event: PointerEvent<HTMLCanvasElement>): void {
    const area = event.currentTarget.getBoundingClientRect();
    actions.centreOn({ x: (event.clientX - area.left - x) / zoom, y: (event.clientY - area.top - y) / zoom });
  }

  if (Object.keys(session.store.view().resolved.nodes).length === 0) return null;
  return (
    <canvas
      ref={canvas}
      data-testid="minimap"
      data-covers=""
      aria-label="Map of the workflow"
      style={size}
      className="mini-map rounded-lg border border-line bg-surface/90 shadow-low"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => {
        if (event.buttons === 1) go(event);
      }}
    />
  );
}
