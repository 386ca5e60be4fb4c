import type { ReactNode } from "react";
import { Link } from "react-router";

import type { Model, ModelMetric, ModelSort } from "@miranda/contract/schemas/models.ts";

import { RelativeTime } from "../../shell/relative-time.tsx";
import { Badge } from "../../ui/badge.tsx";

export interface ModelColumn {
  id: string;
  /** In the header and in the list of columns. */
  title: string;
  /** Fixed, so that the columns do not move while other rows come into view. */
  widthRem: number;
  isNumber?: true;
  /** The order that the header asks for. */
  sort?: ModelSort;
  cell: (model: Model) => ReactNode;
}

function metric(id: ModelMetric, title: string): ModelColumn {
  return {
    id,
    title,
    widthRem: 6.75,
    isNumber: true,
    sort: id,
    cell: ({ [id]: value }) => {
      if (value === null) return <span className="text-ink-faint">–</span>;
      return <span title={String(value)}>{Number(value.toPrecision(5))}</span>;
    },
  };
}

const tones: Readonly<Record<string, "info" | "success">> = { CPU: "info", GPU: "success" };

export const modelColumns: readonly ModelColumn[] = [
  {
    id: "name",
    title: "Model ID",
    widthRem: 11,
    cell: ({ name, run_id }) =>
      run_id === null ? (
        <span className="font-medium" title={name}>
          {name}
        </span>
      ) : (
        <Link to={`/designer/runs/${run_id}`} title={name} className="font-medium text-accent-text hover:underline">
          {name}
        </Link>
      ),
  },
  {
    id: "graph",
    title: "Graph",
    widthRem: 10.5,
    sort: "graph",
    cell: ({ graph }) => (
      <Link
        to={`/designer/projects/${graph.project_id}/graphs/${graph.id}`}
        title={graph.name}
        className="text-accent-text hover:underline"
      >
        {graph.name}
      </Link>
    ),
  },
  { id: "authors", title: "Authors", widthRem: 8.5, cell: ({ authors }) => authors.join(", ") },
  { id: "miranda_version", title: "Version", widthRem: 5, cell: ({ miranda_version }) => miranda_version },
  {
    id: "hardware",
    title: "Hardware",
    widthRem: 7.5,
    cell: ({ hardware }) => (
      <span className="flex gap-1">
        {hardware.map((tag) => (
          <Badge key={tag} tone={tones[tag.toUpperCase()] ?? "neutral"}>
            {tag}
          </Badge>
        ))}
      </span>
    ),
  },
  metric("loss", "Loss"),
  metric("accuracy", "Accuracy"),
  metric("precision", "Precision"),
  metric("recall", "Recall"),
  {
    id: "time_created",
    title: "Created",
    widthRem: 8,
    sort: "created",
    cell: ({ time_created }) => <RelativeTime time={time_created} />,
  },
  {
    id: "last_updated",
    title: "Updated",
    widthRem: 8,
    sort: "updated",
    cell: ({ last_updated }) => <RelativeTime time={last_updated} />,
  },
];
