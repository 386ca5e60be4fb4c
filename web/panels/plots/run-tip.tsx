import { oneLine } from "../../ui/text/drawable-text.ts";
import { type PlotAxis, type PlotItem, valueWords } from "./plot-axes.ts";

const most = 10;

/** What the run under the pointer is. The list below says the same to those who do not point. */
export function RunTip({ run, axes }: { run: PlotItem; axes: readonly PlotAxis[] }) {
  return (
    <div
      aria-hidden="true"
      data-testid="run-tip"
      className="pointer-events-none absolute top-1 right-1 z-10 max-w-72 rounded-md bg-raised px-3 py-2 text-xs shadow-high"
    >
      <p className="truncate font-medium">{oneLine(run.name)}</p>
      <dl className="mt-1 grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5">
        {axes.slice(0, most).map((axis) => (
          <div key={axis.key} className="contents">
            <dt className="truncate text-ink-muted">{oneLine(axis.label)}</dt>
            <dd className="max-w-32 truncate text-right tabular-nums">{oneLine(valueWords(axis, run))}</dd>
          </div>
        ))}
      </dl>
      {run.address === null ? null : <p className="mt-1 text-ink-faint">Click to open it</p>}
    </div>
  );
}
