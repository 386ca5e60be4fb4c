import { lazy, type ReactNode, Suspense } from "react";

const VirtualGrid = lazy(() =>
  import("./virtual-grid.tsx").then((module) => ({ default: module.VirtualGrid<unknown> })),
);

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
  const { label, items, itemKey, renderItem, columns, gap, rowHeight } = props;
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
      <VirtualGrid
        label={label}
        items={items}
        itemKey={(item) => itemKey(item as Item)}
        renderItem={(item) => renderItem(item as Item)}
        columns={columns}
        gap={gap}
        rowHeight={rowHeight}
      />
    </Suspense>
  );
}
