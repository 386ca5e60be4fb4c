import type { ReactNode } from "react";
import { Link } from "react-router";

import type { Model, ModelMetric, ModelSort } from "@miranda/contract/schemas/models/models.ts";

import { graphAddress } from "../../api/graphs.ts";
import { modelAddress } from "../../api/models/model.ts";
import { StageBadge } from "../../panels/models/stage-badge.tsx";
import { shownTags, tagWords } from "../../panels/models/tag-list.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

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
    widthRem: title.length < 5 ? 4.75 : title.length < 7 ? 5.25 : 6,
    isNumber: true,
    sort: id,
    cell: ({ [id]: value }) => {
      if (value === null) return nothing;
      return <span title={String(value)}>{Number(value.toPrecision(5))}</span>;
    },
  };
}

const tones: Readonly<Record<string, "info" | "success">> = { CPU: "info", GPU: "success" };

const nothing = <span className="text-ink-faint">–</span>;

/** The names of versions that people gave, or else the stage of the newest. */
function Names({ aliases, stage }: Pick<Model, "aliases" | "stage">) {
  if (aliases.length === 0) return <StageBadge stage={stage} />;
  return (
    <span
      className="flex gap-1 overflow-hidden"
      title={aliases.map(({ alias, number }) => `${alias} is version ${number}`).join(", ")}
    >
      {aliases.map(({ alias }) => (
        <Badge key={alias} tone="accent">
          {alias}
        </Badge>
      ))}
    </span>
  );
}

function Tags({ tags }: Pick<Model, "tags">) {
  const words = shownTags(tags)
    .map(([key, value]) => tagWords(key, value))
    .join(", ");
  if (words === "") return null;
  return (
    <span title={words} dir="auto" className="block truncate text-xs leading-4 text-ink-muted">
      {words}
    </span>
  );
}

/** All of them together fit a screen of 1440 pixels. */
export const modelColumns: readonly ModelColumn[] = [
  {
    id: "name",
    title: "Model ID",
    widthRem: 9.25,
    // With its project: models of two projects may have the same name.
    cell: ({ id, name, project_name }) => (
      <>
        <Link
          to={modelAddress(id)}
          title={oneLine(name)}
          className="block truncate leading-4 font-medium text-accent-text hover:underline"
        >
          {oneLine(name)}
        </Link>
        {/* Not part of the text of the cell, which is the model's id. */}
        <span
          dir="auto"
          title={oneLine(project_name)}
          data-testid="model-project"
          data-project={oneLine(project_name)}
          className="block truncate text-xs leading-4 text-ink-muted before:content-[attr(data-project)]"
        />
      </>
    ),
  },
  {
    id: "latest_version",
    title: "Latest",
    widthRem: 4,
    cell: ({ latest_version }) => (latest_version === 0 ? nothing : `v${latest_version}`),
  },
  {
    id: "best",
    title: "Best",
    widthRem: 7.5,
    cell: ({ best }) =>
      best ? (
        <span title={`${oneLine(best.name)} ${best.value} in version ${best.number}`}>
          {Number(best.value.toPrecision(5))} <span className="text-ink-muted">{oneLine(best.name)}</span>
        </span>
      ) : (
        nothing
      ),
  },
  {
    id: "aliases",
    title: "Alias, tags",
    widthRem: 6,
    cell: ({ aliases, stage, tags }) => (
      <>
        <Names aliases={aliases} stage={stage} />
        <Tags tags={tags} />
      </>
    ),
  },
  {
    id: "graph",
    title: "Graph",
    widthRem: 6.5,
    sort: "graph",
    cell: ({ graph }) =>
      graph.id === "" ? (
        nothing
      ) : (
        <Link
          to={graphAddress(graph.project_id, graph.id)}
          title={graph.name}
          className="text-accent-text hover:underline"
        >
          {graph.name}
        </Link>
      ),
  },
  { id: "authors", title: "Authors", widthRem: 6, cell: ({ authors }) => authors.join(", ") },
  { id: "miranda_version", title: "Version", widthRem: 4.25, cell: ({ miranda_version }) => miranda_version },
  {
    id: "hardware",
    title: "Hardware",
    widthRem: 6.25,
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
    widthRem: 7,
    sort: "created",
    cell: ({ time_created }) => <RelativeTime time={time_created} />,
  },
  {
    id: "last_updated",
    title: "Updated",
    widthRem: 7,
    sort: "updated",
    cell: ({ last_updated }) => <RelativeTime time={last_updated} />,
  },
];

/** Name and values come first: a phone has little room for more. */
export function valuesFirst(columns: readonly ModelColumn[]): ModelColumn[] {
  const rank = ({ id, isNumber }: ModelColumn) => (id === "name" ? 0 : id === "best" ? 1 : isNumber ? 2 : 3);
  return columns.toSorted((one, other) => rank(one) - rank(other));
}
