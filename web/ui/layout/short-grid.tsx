import { type ReactNode, Suspense, use } from "react";

import { loadPart } from "../../load-part.ts";

let loading: Promise<typeof import("./virtual-grid.tsx")> | undefined;

const shortUpTo = 60;

interface ShortGridProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string;
  renderItem: (item: Item) => ReactNode;
  columns: number;
  /** In pixels. */
  gap: number;
  rowHeight: number;
}

/** A grid that is usually short: the virtual grid loads only when there are many items. */
export function ShortGrid<Item>(props: ShortGridProps<Item>) {
  const { label, items, itemKey, renderItem, columns, gap } = props;
  const plain = (
    <ul aria-label={label} style={{ display: "grid", gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, gap }}>
      {items.slice(0, shortUpTo).map((item) => (
        <li key={itemKey(item)} className="grid min-w-0">
          {renderItem(item)}
        </li>
      ))}
    </ul>
  );
  if (items.length <= shortUpTo) return plain;
  return (
    <Suspense fallback={plain}>
      <LongGrid {...props} />
    </Suspense>
  );
}

/** Not `lazy`: that would lose the type of the items. */
function LongGrid<Item>(props: ShortGridProps<Item>) {
  const { VirtualGrid } = use((loading ??= loadPart(() => import("./virtual-grid.tsx"))));
  return <VirtualGrid {...props} />;
}
