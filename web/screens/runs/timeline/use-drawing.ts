import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

import { colourReader } from "../../../ui/colour-reader.ts";
import type { Area, ColourOf } from "./draw-timeline.ts";

/** The size of an element, as it changes. */
export function useSize(element: RefObject<HTMLElement | null>): Area {
  const [size, setSize] = useState<Area>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const shown = element.current;
    if (!shown) return;
    const measure = () => setSize({ width: shown.clientWidth, height: shown.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** Draws at the next frame, and again when the theme changes. Several changes in a frame are drawn once. */
export function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  draw: (canvas: HTMLCanvasElement, colourOf: ColourOf) => void,
): void {
  const latest = useRef(draw);
  const colours = useRef<ColourOf>(undefined);
  const frame = useRef(0);
  const request = useRef(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      const element = canvas.current;
      if (!element) return;
      colours.current ??= colourReader(element);
      latest.current(element, colours.current);
    });
  });
  useLayoutEffect(() => {
    latest.current = draw;
    request.current();
  }, [draw]);
  useEffect(() => {
    const ask = request.current;
    const theme = new MutationObserver(() => {
      colours.current = undefined;
      ask();
    });
    theme.observe(document.documentElement, { attributeFilter: ["class"] });
    return () => {
      theme.disconnect();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, []);
}
