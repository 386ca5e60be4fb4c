import { type RefObject, useEffect, useRef } from "react";

const aheadPixels = 1_600;

/**
 * Calls `onEndNear` when the marked end of a list is nearly in view: in the page, or in the list's own scrolling area.
 */
export function useEndNear(
  count: number,
  onEndNear: (() => void) | undefined,
  area?: RefObject<HTMLElement | null>,
): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Observe again after each page: an end that stays in view would not be reported twice.
    if (!onEndNear || !end.current || count === 0) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onEndNear(), {
      root: area?.current ?? null,
      rootMargin: `0px 0px ${aheadPixels}px`,
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count, onEndNear, area]);
  return end;
}
