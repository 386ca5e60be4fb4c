import { createColumnHelper, type RowData } from "@tanstack/react-table";
import { Link } from "react-router";

import type { Model } from "@miranda/contract/schemas/models.ts";

import { RelativeTime } from "../../shell/relative-time.tsx";
import { Badge } from "../../ui/badge.tsx";

declare module "@tanstack/react-table" {
  // oxlint-disable-next-line typescript/no-unused-vars -- the library's own declaration has them
  interface ColumnMeta<TData extends RowData, TValue> {
    /** The title in the header and in the list of columns. */
    title: string;
    isNumber?: boolean;
  }
}

const column = createColumnHelper<Model>();
const sortable = { enableSorting: true, sortDescFirst: false, sortUndefined: "last" } as const;
const plain = { enableSorting: false } as const;
const filtered = { enableColumnFilter: true, filterFn: "includesString" } as const;

function metric(key: "loss" | "accuracy" | "precision" | "recall", title: string) {
  return column.accessor((model) => model[key] ?? undefined, {
    id: key,
    ...sortable,
    sortingFn: "basic",
    meta: { title, isNumber: true },
    cell: ({ getValue }) => {
      const value = getValue();
      if (value === undefined) return <span className="text-ink-faint">–</span>;
      return <span title={String(value)}>{Number(value.toPrecision(5))}</span>;
    },
  });
}

function time(key: "time_created" | "last_updated", title: string) {
  return column.accessor((model) => Date.parse(model[key]), {
    id: key,
    ...sortable,
    sortingFn: "basic",
    meta: { title },
    cell: ({ row }) => <RelativeTime time={row.original[key]} />,
  });
}

const tones: Readonly<Record<string, "info" | "success">> = { CPU: "info", GPU: "success" };

export const modelColumns = [
  column.accessor("name", {
    ...plain,
    ...filtered,
    meta: { title: "Model ID" },
    cell: ({ getValue }) => <span className="font-medium">{getValue()}</span>,
  }),
  column.accessor((model) => model.graph.name, {
    id: "graph",
    ...sortable,
    ...filtered,
    sortingFn: "text",
    meta: { title: "Graph" },
    cell: ({ row: { original } }) => (
      <Link
        to={`/designer/projects/${original.graph.project_id}/graphs/${original.graph.id}`}
        className="text-accent-text hover:underline"
      >
        {original.graph.name}
      </Link>
    ),
  }),
  column.accessor((model) => model.authors.join(", "), { id: "authors", ...plain, meta: { title: "Authors" } }),
  column.accessor("miranda_version", { ...plain, meta: { title: "Version" } }),
  column.accessor("hardware", {
    ...plain,
    meta: { title: "Hardware" },
    cell: ({ getValue }) => (
      <span className="flex gap-1">
        {getValue().map((tag) => (
          <Badge key={tag} tone={tones[tag.toUpperCase()] ?? "neutral"}>
            {tag}
          </Badge>
        ))}
      </span>
    ),
  }),
  metric("loss", "Loss"),
  metric("accuracy", "Accuracy"),
  metric("precision", "Precision"),
  metric("recall", "Recall"),
  time("time_created", "Created"),
  time("last_updated", "Updated"),
];
