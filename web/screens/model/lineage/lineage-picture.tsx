import { type KeyboardEvent, useMemo, useRef, useState } from "react";

import type { Lineage, LineageNode } from "@miranda/contract/schemas/models/lineage.ts";

import { useWidth } from "../../../panels/metrics/use-width.ts";
import { classes } from "../../../ui/classes.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { detailWords } from "./detail-words.ts";
import { LineageCard } from "./lineage-card.tsx";
import { LineageFacts } from "./lineage-facts.tsx";
import { kindLooks } from "./lineage-kinds.ts";
import { card, type Column, edgesOf, placed, relatedTo } from "./lineage-layout.ts";

interface LineagePictureProps {
  columns: readonly Column[];
  edges: Lineage["edges"];
  onPackages: (() => void) | undefined;
}

/** Cards in columns with lines between them. The arrow keys move from card to card. */
export function LineagePicture({ columns, edges, onPackages }: LineagePictureProps) {
  const [host, width] = useWidth();
  const area = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<LineageNode>();
  const picture = useMemo(() => placed(columns, width), [columns, width]);
  const drawn = useMemo(() => edgesOf(edges, picture), [edges, picture]);
  const related = useMemo(() => (pointed ? relatedTo(pointed.id, edges) : undefined), [pointed, edges]);
  const { places, cardWidth } = picture;

  function step(event: KeyboardEvent, column: number, row: number): void {
    const [across, down] = moves[event.key] ?? [0, 0];
    if (across === 0 && down === 0) return;
    const target = columns[column + across]?.nodes;
    const next = across === 0 ? target?.[row + down] : target?.[Math.min(row, target.length - 1)];
    if (!next) return;
    event.preventDefault();
    area.current?.querySelector<HTMLElement>(`[data-lineage="${CSS.escape(next.id)}"]`)?.focus();
  }

  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div ref={host} className="min-w-0 overflow-x-auto rounded-lg border border-line bg-canvas p-4">
        <div
          ref={area}
          className="relative mx-auto"
          style={{ width: picture.width, height: drawn.height }}
          data-testid="lineage-picture"
        >
          {picture.columns.map(({ title, x }) => (
            <h3
              key={title}
              className="absolute top-0 truncate text-xs font-medium text-ink-muted"
              style={{ left: x, width: cardWidth }}
            >
              {title}
            </h3>
          ))}
          <svg
            aria-hidden="true"
            width={picture.width}
            height={drawn.height}
            className="pointer-events-none absolute inset-0 overflow-visible"
            fill="none"
          >
            {drawn.paths.map(({ from, to, path }) => {
              const isRelated = related?.has(from) && related.has(to);
              return (
                <path
                  key={`${from} ${to}`}
                  d={path}
                  data-testid="lineage-edge"
                  className={isRelated ? "stroke-accent" : "stroke-line-strong"}
                  strokeWidth={isRelated ? 2.5 : 1.5}
                  opacity={related && !isRelated ? 0.35 : 1}
                />
              );
            })}
          </svg>
          <ul>
            {columns.flatMap(({ nodes }, column) =>
              nodes.map((node, row) => {
                const place = places.get(node.id);
                return (
                  <li key={node.id}>
                    <LineageCard
                      node={node}
                      onPackages={onPackages}
                      onPoint={(isPointed) => setPointed(isPointed ? node : undefined)}
                      onKeyDown={(event) => step(event, column, row)}
                      style={{ left: place?.x, top: place?.y, width: cardWidth, height: card.height }}
                      className={classes(
                        "absolute flex items-center gap-2.5 overflow-hidden rounded-lg border bg-surface px-3 text-left shadow-low transition-colors",
                        node.address === null && node.kind !== "packages" ? "border-dashed" : "hover:bg-raised",
                        related?.has(node.id) || node.kind === "model" ? "border-accent" : "border-line-strong/60",
                        related && !related.has(node.id) ? "opacity-60" : null,
                      )}
                    >
                      <CardText node={node} />
                    </LineageCard>
                  </li>
                );
              }),
            )}
          </ul>
        </div>
      </div>
      {pointed ? (
        <LineageFacts node={pointed} />
      ) : (
        <p className="min-h-24 text-sm text-ink-muted">Point at a card to read more about it.</p>
      )}
    </div>
  );
}

const moves: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function CardText({ node }: { node: LineageNode }) {
  const { icon: Icon, word, colour } = kindLooks[node.kind];
  return (
    <>
      <Icon className={classes("size-4 shrink-0", colour)} aria-hidden="true" />
      <span className="min-w-0 flex-1">
        <span className="sr-only">{word}: </span>
        <span dir="auto" className={classes("block truncate text-sm font-medium", node.gone ? "line-through" : null)}>
          {oneLine(node.label)}
        </span>
        <span className="block truncate text-xs text-ink-muted">
          {node.gone ? "Removed" : detailWords(node.detail) || word}
        </span>
      </span>
    </>
  );
}
