import { type RefObject, useEffect, useRef } from "react";

const aheadPixels = 1_600;

/**
 * Calls back when the end of a list comes near, to load more. The returned reference belongs to an empty element after the
 * list's last row, the other one to the element that scrolls.
 */
export function useEndNear(
  frame: RefObject<HTMLElement | null>,
  count: number,
  onEndNear: (() => void) | undefined,
): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Observe again after each page: an end that stays in view would not be reported twice.
    if (!onEndNear || !end.current || count === 0) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onEndNear(), {
      root: frame.current,
      rootMargin: `0px 0px ${aheadPixels}px`,
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [frame, count, onEndNear]);
  return end;
}
