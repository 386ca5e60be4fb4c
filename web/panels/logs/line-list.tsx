import { ArrowDown } from "lucide-react";
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";

import { Button } from "../../ui/button.tsx";

const rowHeight = 20;
const overscan = 12;
/** Nearer to the end than this, whoever reads wants to see what comes. */
const nearBottom = 48;

interface LineListProps {
  label: string;
  count: number;
  /** How many rows have gone at the front, ever, less those that came there. */
  dropped: number;
  renderRow: (row: number) => ReactNode;
  header?: ReactNode;
}

/** Rows of one height, of which only those in sight exist; it follows the end while the end is in sight. */
export function LineList({ label, count, dropped, renderRow, header }: LineListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const gone = useRef(dropped);
  const [place, setPlace] = useState({ top: 0, height: 600 });
  const [isAway, setIsAway] = useState(false);

  const look = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    follows.current = scrollHeight - scrollTop - clientHeight <= nearBottom;
    setIsAway(!follows.current);
    setPlace((known) =>
      known.top === scrollTop && known.height === clientHeight ? known : { top: scrollTop, height: clientHeight },
    );
  }, []);

  const toEnd = useCallback(() => {
    const element = frame.current;
    if (element) element.scrollTop = element.scrollHeight;
    look();
  }, [look]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => (follows.current ? toEnd() : look()));
    observer.observe(element);
    return () => observer.disconnect();
  }, [look, toEnd]);

  useLayoutEffect(() => {
    const element = frame.current;
    const moved = dropped - gone.current;
    gone.current = dropped;
    if (!element) return;
    if (follows.current) toEnd();
    // What is being read stays where it is while older lines go or come.
    else if (moved !== 0) element.scrollTop -= moved * rowHeight;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- more lines are the reason to follow the end
  }, [count, dropped, toEnd]);

  const first = Math.max(0, Math.min(Math.floor(place.top / rowHeight), count) - overscan);
  const last = Math.min(count, Math.ceil((place.top + place.height) / rowHeight) + overscan);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        onScroll={look}
        role="log"
        aria-live="off"
        aria-label={label}
        data-testid="log-lines"
        data-count={count}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by key
        tabIndex={0}
        className="absolute inset-0 overflow-auto overscroll-contain font-mono text-xs -outline-offset-2 [overflow-anchor:none]"
      >
        {header}
        <div className="relative w-max min-w-full" style={{ height: count * rowHeight }}>
          <div className="w-max min-w-full" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {Array.from({ length: Math.max(0, last - first) }, (_, at) => renderRow(first + at))}
          </div>
        </div>
      </div>
      {isAway && count > 0 ? (
        <Button
          size="sm"
          onClick={toEnd}
          className="absolute right-4 bottom-3 animate-fade rounded-full bg-raised shadow-high"
        >
          <ArrowDown className="size-3.5" aria-hidden="true" />
          Latest
        </Button>
      ) : null}
    </div>
  );
}
