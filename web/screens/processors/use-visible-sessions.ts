import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useMemo } from "react";

import type { JobsResponse } from "@miranda/contract/schemas/processors.ts";
import type { SessionGroup } from "@miranda/contract/sessions.ts";

// Up to this number every session is on the page, so that the browser's find works.
const wholeUpTo = 60;
const heights = { top: 1, heading: 43, queued: 39, session: 59 } as const;

const itemsAtTop = 1;

interface ListItem {
  key: string;
  height: number;
}

interface VisibleGroup {
  group: SessionGroup;
  /** The place of its heading in the flat list. Its sessions follow. */
  headingIndex: number;
  /** The sessions of the group that are drawn, and the height of the others in pixels. */
  from: number;
  to: number;
  above: number;
  below: number;
}

/** The groups as one flat list of headings and sessions. */
function flatList(jobs: JobsResponse, groups: readonly SessionGroup[]): ListItem[] {
  // The library keeps the first item in view in its place when others come in above it. At the top this is an item of its
  // own: a session that starts must not be added out of view.
  const items: ListItem[] = [{ key: "top", height: heights.top }];
  for (const group of groups) {
    const height = group === "queued" ? heights.queued : heights.session;
    items.push({ key: group, height: heights.heading });
    for (const { id } of jobs[group]) items.push({ key: id, height });
  }
  return items;
}

/** Which sessions of a long list are in view. All headings are always drawn, because they stick to the top. */
export function useVisibleSessions(
  frame: RefObject<HTMLElement | null>,
  jobs: JobsResponse,
  groups: readonly SessionGroup[],
) {
  const items = useMemo(() => flatList(jobs, groups), [jobs, groups]);
  const isWhole = items.length <= wholeUpTo;
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useVirtualizer({
    count: items.length,
    enabled: !isWhole,
    getScrollElement: () => frame.current,
    getItemKey: (index) => items[index]?.key ?? index,
    estimateSize: (index) => items[index]?.height ?? heights.session,
    overscan: 8,
    anchorTo: "end",
  });
  const shown = isWhole ? [] : virtual.getVirtualItems();
  const [first = 0, last = -1] = [shown[0]?.index, shown.at(-1)?.index];

  const found: VisibleGroup[] = [];
  let headingIndex = itemsAtTop;
  for (const group of groups) {
    const { length } = jobs[group];
    const start = headingIndex + 1;
    if (isWhole) found.push({ group, headingIndex, from: 0, to: length, above: 0, below: 0 });
    else {
      const from = Math.min(Math.max(first - start, 0), length);
      const to = Math.max(Math.min(last + 1 - start, length), from);
      const place = (index: number) => virtual.measurementsCache[index];
      const top = place(headingIndex)?.end ?? 0;
      const above = from === 0 ? 0 : (place(start + from - 1)?.end ?? top) - top;
      const bottom = place(start + length - 1)?.end ?? top;
      found.push({ group, headingIndex, from, to, above, below: bottom - (place(start + to - 1)?.end ?? top) });
    }
    headingIndex = start + length;
  }
  return { groups: found, measure: isWhole ? undefined : virtual.measureElement };
}
