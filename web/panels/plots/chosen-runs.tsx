import { ArrowDown, ArrowUp } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "react-router";

import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { placeOf, type PlotAxis, type PlotItem, valueWords } from "./plot-axes.ts";

interface ChosenRunsProps {
  runs: readonly PlotItem[];
  axes: readonly PlotAxis[];
  pointed: string | undefined;
  onPoint: (id: string | undefined) => void;
}

const shownAtFirst = 50;

/** The runs that are chosen, each with a link. Pointing at one shows it in the plots. */
export function ChosenRuns({ runs, axes, pointed, onPoint }: ChosenRunsProps) {
  const [order, setOrder] = useState<{ key: string; isDown: boolean }>();
  const [isWhole, setWhole] = useState(false);
  const sorted = useMemo(() => {
    const axis = axes.find(({ key }) => key === order?.key);
    if (!axis || !order) return runs;
    const sign = order.isDown ? -1 : 1;
    // Those without a value come last, whichever way.
    const at = (run: PlotItem) => {
      const place = placeOf(axis, run);
      return place === undefined ? Number.POSITIVE_INFINITY : place * sign;
    };
    return runs.toSorted((one, other) => at(one) - at(other));
  }, [runs, axes, order]);
  const shown = isWhole ? sorted : sorted.slice(0, shownAtFirst);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it */}
      <div tabIndex={0} className="relative overflow-x-auto rounded-lg border border-line bg-surface">
        <table className="w-full border-separate border-spacing-0 text-left text-sm">
          <thead>
            <tr>
              <th scope="col" className="border-b border-line bg-sunken px-3 py-2 font-medium text-ink-muted">
                Name
              </th>
              {axes.map(({ key, label }) => {
                const Arrow = order?.isDown ? ArrowDown : ArrowUp;
                return (
                  <th
                    key={key}
                    scope="col"
                    aria-sort={order?.key === key ? (order.isDown ? "descending" : "ascending") : undefined}
                    className="border-b border-line bg-sunken px-3 py-2 text-right font-medium text-ink-muted"
                  >
                    <button
                      type="button"
                      className="inline-flex max-w-40 items-center gap-1 rounded-sm hover:text-ink"
                      onClick={() => setOrder({ key, isDown: order?.key === key ? !order.isDown : true })}
                    >
                      <span className="truncate">{oneLine(label)}</span>
                      {order?.key === key ? (
                        <Arrow className="size-3.5 shrink-0 text-accent-text" aria-hidden="true" />
                      ) : null}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((run) => (
              <tr
                key={run.id}
                data-testid="chosen-run"
                className={classes("hover:bg-hover", run.id === pointed ? "bg-accent-soft" : null)}
                onPointerEnter={() => onPoint(run.id)}
                onPointerLeave={() => onPoint(undefined)}
              >
                <td className="border-b border-line px-3 py-1.5">
                  {run.address === null ? (
                    <span className="block max-w-60 truncate font-medium">{oneLine(run.name)}</span>
                  ) : (
                    <Link
                      to={run.address}
                      className="block max-w-60 truncate font-medium text-accent-text hover:underline"
                      onFocus={() => onPoint(run.id)}
                      onBlur={() => onPoint(undefined)}
                    >
                      {oneLine(run.name)}
                    </Link>
                  )}
                </td>
                {axes.map((axis) => (
                  <td key={axis.key} className="border-b border-line px-3 py-1.5 text-right tabular-nums">
                    <span className="ml-auto block max-w-40 truncate">{oneLine(valueWords(axis, run))}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {runs.length === 0 ? <p className="px-3 py-6 text-ink-muted">Nothing is chosen.</p> : null}
      </div>
      {sorted.length > shown.length ? (
        <Button size="sm" className="self-start" onClick={() => setWhole(true)}>
          List all {sorted.length}
        </Button>
      ) : null}
    </>
  );
}
