import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";

const gap = 24;
const minGap = 14;

/**
 * The dots in the background. One layer, drawn once per zoom and then only moved: repainting the canvas for every step
 * of a pan costs more than all its nodes.
 */
export function DotGrid() {
  const flow = useStoreApi();
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let drawn = 0;
    const place = () => {
      const layer = element.current;
      if (!layer) return;
      const [x, y, zoom] = flow.getState().transform;
      let step = gap * zoom;
      while (step < minGap) step *= 2;
      if (step !== drawn) {
        drawn = step;
        layer.style.inset = `${-step}px`;
        layer.style.backgroundSize = `${step}px ${step}px`;
      }
      layer.style.transform = `translate(${x % step}px, ${y % step}px)`;
    };
    place();
    return flow.subscribe(place);
  }, [flow]);

  return (
    <div className="pointer-events-none absolute inset-0 overflow-hidden" aria-hidden="true">
      <div ref={element} className="dot-layer" />
    </div>
  );
}
