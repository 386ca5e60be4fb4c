import { ArrowDown } from "lucide-react";
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";

import { Button } from "../../ui/button.tsx";

const rowHeight = 20;
const overscan = 8;
/** Within this distance of the end, the list follows new lines. */
const nearBottom = 48;
/** Within this distance of the start, earlier lines are fetched. */
const nearTop = 4_000;

interface LineListProps {
  label: string;
  count: number;
  /** How many rows were ever removed at the front, minus those added there. */
  dropped: number;
  /** Draws a row. Keys name slots that rows share, so that React reuses the elements. */
  renderRow: (row: number, key: number) => ReactNode;
  header?: ReactNode;
  /** Called near the start. */
  onTop?: (() => void) | undefined;
}

/** Rows of one height, of which only those in view exist. It follows the end while the end is in view. */
export function LineList({ label, count, dropped, renderRow, header, onTop }: LineListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const gone = useRef(dropped);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [follows, setFollows] = useState(true);

  const onScroll = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    const isNear = scrollHeight - scrollTop - clientHeight <= nearBottom;
    setFollows(isNear);
    setHeight(clientHeight);
    // At the end the scroll position follows from the count: rendering twice for every new line would be too slow.
    if (!isNear) setTop(scrollTop);
    if (!isNear && scrollTop < nearTop) onTop?.();
  }, [onTop]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = frame.current;
    const moved = dropped - gone.current;
    gone.current = dropped;
    if (!element) return;
    if (follows) element.scrollTop = count * rowHeight + height;
    // Keep the visible lines in place while older lines are removed or added.
    else if (moved !== 0) element.scrollTop -= moved * rowHeight;
  }, [count, dropped, follows, height]);

  const places = Math.ceil(height / rowHeight) + 1 + overscan * 2;
  const shownTop = follows ? count * rowHeight - height : Math.min(top, count * rowHeight - height);
  const first = Math.max(0, Math.floor(shownTop / rowHeight) - overscan);
  const last = Math.min(count, first + places);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        onScroll={onScroll}
        role="log"
        aria-live="off"
        aria-label={label}
        data-testid="log-lines"
        data-count={count}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="absolute inset-0 overflow-auto overscroll-contain font-mono text-xs -outline-offset-2 [contain:strict] [font-variant-ligatures:none] [overflow-anchor:none] [text-rendering:optimizeSpeed]"
      >
        {header}
        <div className="relative" style={{ height: count * rowHeight }}>
          {/* One element as wide as the longest visible line: rows that each compute their own width cost several layout passes. */}
          <div
            className="absolute top-0 left-0 w-max min-w-full"
            style={{ transform: `translateY(${first * rowHeight}px)` }}
          >
            {Array.from({ length: Math.max(0, last - first) }, (_, at) =>
              // While reading, rows keep their elements and few are new. While lines rush by, all are new, and
              // rewriting elements is cheaper than moving them.
              renderRow(first + at, follows ? at : (first + at) % places),
            )}
          </div>
        </div>
      </div>
      {follows || count === 0 ? null : (
        <Button
          size="sm"
          onClick={() => setFollows(true)}
          className="absolute right-4 bottom-3 animate-fade rounded-full bg-raised shadow-high"
        >
          <ArrowDown className="size-3.5" aria-hidden="true" />
          Latest
        </Button>
      )}
    </div>
  );
}
