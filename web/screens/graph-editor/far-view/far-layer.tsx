import { useStoreApi } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";

import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { usePast } from "../canvas/past-view.ts";
import { groupCards } from "../cards/collapsed-groups.ts";
import type { EditorState } from "../editor-state.ts";
import { useEditor, useUi, useView } from "../editor-context.tsx";
import { colourReader } from "../../../ui/colour-reader.ts";
import { drawFar, outlineFar, pictureOf } from "./far-drawing.ts";
import { createFarSurface } from "./far-surface.ts";
import { useFarGestures } from "./use-far-gestures.ts";

/** The whole graph on one canvas, for zooms at which thousands of cards are in view and none is readable. */
export function FarLayer() {
  const { peers } = useEditor();
  const flow = useStoreApi();
  const resolved = useView((view) => view.resolved);
  const selected = useUi((state) => state.selected);
  const drag = useUi((state) => state.drag);
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useFarGestures();
  const past = usePast();

  const picture = useMemo(() => {
    return pictureOf(resolved, { drag, past, cards: groupCards(resolved) });
  }, [resolved, drag, past]);
  const marked = useMemo(() => pictureOfSome(resolved, selected, drag), [resolved, selected, drag]);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    let frame = 0;
    let colourOf = colourReader(element);
    const surface = createFarSurface(element, context, (drawing, view, strip) => {
      drawFar(drawing, picture, view, strip, colourOf);
      outlineFar(drawing, marked, view, colourOf("var(--accent)"));
      for (const other of peers.all()) outlineFar(drawing, pictureOfSome(resolved, other.selected), view, other.colour);
    });
    const draw = () => {
      frame = 0;
      const { transform, width, height } = flow.getState();
      const [x, y, zoom] = transform;
      surface.show({ x, y, zoom }, { width, height, ratio: Math.min(devicePixelRatio, 2) });
    };
    const request = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const redraw = () => {
      surface.forget();
      request();
    };
    draw();
    const stops = [flow.subscribe(request), peers.watch(redraw)];
    const theme = new MutationObserver(() => {
      colourOf = colourReader(element);
      redraw();
    });
    theme.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => {
      for (const stop of stops) stop();
      theme.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [flow, picture, marked, resolved, peers]);

  const [x, y, zoom] = flow.getState().transform;
  return (
    <>
      <canvas ref={canvas} data-testid="far-layer" className="pointer-events-none absolute inset-0 z-4 size-full" />
      {box ? (
        <div
          className="pointer-events-none absolute z-5 border border-accent bg-accent/10"
          style={{
            left: Math.min(box.from.x, box.to.x) * zoom + x,
            top: Math.min(box.from.y, box.to.y) * zoom + y,
            width: Math.abs(box.to.x - box.from.x) * zoom,
            height: Math.abs(box.to.y - box.from.y) * zoom,
          }}
        />
      ) : null}
    </>
  );
}

/** The picture of some nodes, without edges. */
function pictureOfSome(resolved: ResolvedContent, ids: ReadonlySet<number>, drag: EditorState["drag"] = null) {
  const cards = groupCards(resolved);
  const nodes: Record<string, Node> = {};
  // The place of a card follows from all its members.
  for (const id of [...ids].flatMap((one) => cards.get(one)?.ids ?? [one])) {
    const node = resolved.nodes[id];
    if (node) nodes[id] = node;
  }
  return pictureOf({ nodes, edges: [] }, { drag, cards });
}
