import { Award, X } from "lucide-react";
import { Fragment } from "react";
import { Link } from "react-router";

import type { ComparedItem, ModelComparison } from "@miranda/contract/schemas/models/compare.ts";

import { RelativeTime } from "../../shell/relative-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { counted } from "../../ui/counted.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { type ComparedCell, groupsOf } from "./compared-rows.ts";

interface ComparisonTableProps {
  comparison: ModelComparison;
  onlyDifferences: boolean;
  /** Undefined: nothing can be left out of it. */
  onRemove?: ((item: ComparedItem) => void) | undefined;
}

const first =
  "sticky left-0 z-10 w-44 min-w-32 max-w-44 border-r border-b border-line px-3 py-1.5 text-left font-normal max-sm:w-32 max-sm:max-w-32";

/** Metrics, parameters, facts and packages, a column for each. */
export function ComparisonTable({ comparison, onlyDifferences, onRemove }: ComparisonTableProps) {
  const { items } = comparison;
  const groups = groupsOf(comparison, onlyDifferences);
  const isPair = items.length === 2;
  const columns = items.length + (isPair ? 2 : 1);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <div tabIndex={0} className="relative overflow-x-auto rounded-lg border border-line bg-surface shadow-low">
      <table className="w-full border-separate border-spacing-0 text-sm" data-testid="comparison-table">
        <thead>
          <tr className="align-top">
            <th scope="col" className={classes(first, "bg-sunken")}>
              <span className="sr-only">Name</span>
            </th>
            {items.map((item) => (
              <th
                key={item.key}
                scope="col"
                className="min-w-36 border-b border-line bg-sunken px-3 py-2 text-left font-medium"
              >
                <Head item={item} onRemove={onRemove} />
              </th>
            ))}
            {isPair ? (
              <th scope="col" className="border-b border-line bg-sunken px-3 py-2 text-left font-medium text-ink-muted">
                Change
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ title, rows, same, isNumber }) => (
            <Fragment key={title}>
              <tr>
                <th
                  scope="rowgroup"
                  colSpan={columns}
                  className="border-b border-line bg-canvas px-3 py-1.5 text-left font-semibold"
                >
                  <span className="sticky left-3">
                    {title}
                    {same > 0 ? (
                      <span className="ml-2 font-normal text-ink-muted">
                        {rows.length === 0 ? `all ${same} are the same` : `${counted(same, "more")} the same`}
                      </span>
                    ) : null}
                  </span>
                </th>
              </tr>
              {rows.map(({ name, cells, change }) => (
                <tr key={name} data-testid="compared-row">
                  <th scope="row" className={classes(first, "bg-surface")} title={oneLine(name)}>
                    <span dir="auto" className="block truncate">
                      {oneLine(name)}
                    </span>
                  </th>
                  {cells.map((cell, at) => (
                    <td
                      key={items[at]?.key}
                      className={classes("border-b border-line px-3 py-1.5", isNumber ? "tabular-nums" : null)}
                    >
                      <Cell cell={cell} />
                    </td>
                  ))}
                  {isPair ? (
                    <td className="border-b border-line px-3 py-1.5 text-ink-muted tabular-nums">{change}</td>
                  ) : null}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head({ item, onRemove }: { item: ComparedItem; onRemove: ComparisonTableProps["onRemove"] }) {
  return (
    <div className="flex items-start gap-1">
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        {item.address === null ? (
          <span className="truncate">{oneLine(item.label)}</span>
        ) : (
          <Link to={item.address} className="truncate text-accent-text hover:underline">
            {oneLine(item.label)}
          </Link>
        )}
        <span className="text-xs font-normal text-ink-muted">
          <RelativeTime time={item.time_created} />
        </span>
        {item.model && item.model.aliases.length > 0 ? (
          <span className="flex flex-wrap gap-1">
            {item.model.aliases.map((alias) => (
              <Badge key={alias} tone="accent">
                {alias}
              </Badge>
            ))}
          </span>
        ) : null}
      </div>
      {onRemove ? <IconButton icon={X} label={`Leave out ${item.label}`} onClick={() => onRemove(item)} /> : null}
    </div>
  );
}

function Cell({ cell: { words, title, isBest, step } }: { cell: ComparedCell }) {
  return (
    <span className="flex max-w-72 items-center gap-1.5" title={oneLine(title)}>
      <span dir="auto" className={classes("min-w-0 truncate", isBest ? "font-semibold text-success-text" : null)}>
        {oneLine(words)}
      </span>
      {isBest ? (
        <>
          <Award className="size-3.5 shrink-0 text-success-text" aria-hidden="true" />
          <span className="sr-only">best</span>
        </>
      ) : null}
      {step !== null && step !== 0 ? (
        <span className="shrink-0 text-xs text-ink-faint tabular-nums">at {step.toLocaleString("en")}</span>
      ) : null}
    </span>
  );
}
