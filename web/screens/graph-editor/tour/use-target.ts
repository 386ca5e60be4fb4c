import { useEffect, useState } from "react";

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Target {
  element: Element;
  box: Box;
}

/** The first of the selectors whose element is on the screen, followed while it moves. */
export function useTarget(selectors: readonly string[]): Target | null {
  const [target, setTarget] = useState<Target | null>(null);
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = requestAnimationFrame(look);
      const found = findTarget(selectors);
      setTarget((before) => (isSame(before, found) ? before : found));
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [selectors]);
  return target;
}

function findTarget(selectors: readonly string[]): Target | null {
  for (const selector of selectors) {
    for (const element of document.querySelectorAll(selector)) {
      const { left, top, width, height } = element.getBoundingClientRect();
      const isSeen = width > 0 && left >= 0 && top >= 0 && left + width <= innerWidth && top + height <= innerHeight;
      if (isSeen) return { element, box: { left, top, width, height } };
    }
  }
  return null;
}

function isSame(one: Target | null, other: Target | null): boolean {
  if (!one || !other) return one === other;
  const [a, b] = [one.box, other.box];
  return (
    one.element === other.element &&
    a.left === b.left &&
    a.top === b.top &&
    a.width === b.width &&
    a.height === b.height
  );
}
