import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";

import { classes } from "../classes.ts";

interface ClippedProps {
  /** In pixels: taller content fades out there, until the person asks for the rest. */
  height: number;
  children: ReactNode;
}

export function Clipped({ height, children }: ClippedProps) {
  const id = useId();
  const content = useRef<HTMLDivElement>(null);
  const [tall, setTall] = useState(false);
  const [open, setOpen] = useState(false);

  useLayoutEffect(() => {
    const element = content.current;
    if (!element) return;
    const measure = () => setTall(element.offsetHeight > height);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);

  const clipped = tall && !open;
  return (
    <div className="min-w-0">
      <div
        id={id}
        style={{ maxHeight: clipped ? height : undefined }}
        // A link below the fold got the focus: show it.
        onFocus={() => setOpen(true)}
        className={classes("overflow-hidden", clipped ? "mask-b-from-70%" : null)}
      >
        <div ref={content}>{children}</div>
      </div>
      {tall ? (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="relative mt-2 text-sm font-medium text-accent-text hover:underline"
        >
          {open ? "Show less" : "Show more"}
        </button>
      ) : null}
    </div>
  );
}
