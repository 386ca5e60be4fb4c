import { RotateCcw, Table2 } from "lucide-react";

import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { Axis } from "./chart-lines.ts";

export interface ChartView {
  axis: Axis;
  isLog: boolean;
  /** From 0, the line as it is, to almost 1. */
  smoothing: number;
  isTable: boolean;
}

interface ChartToolsProps {
  view: ChartView;
  onView: (changes: Partial<ChartView>) => void;
  /** Shows everything again. Undefined while everything is shown. */
  onReset: (() => void) | undefined;
}

const axes = [
  { value: "step", label: "Step" },
  { value: "time", label: "Time" },
] as const;

/** How the lines are drawn. */
export function ChartTools({ view, onView, onReset }: ChartToolsProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 text-sm">
      <fieldset className="flex items-center rounded-md border border-line p-0.5">
        <legend className="sr-only">The horizontal axis</legend>
        {axes.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-pressed={view.axis === value}
            onClick={() => onView({ axis: value })}
            className={classes(
              "h-6 rounded-sm px-2 font-medium",
              view.axis === value ? "bg-accent-soft text-accent-text" : "text-ink-muted hover:text-ink",
            )}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <label className="flex items-center gap-2 text-ink-muted">
        Smoothing
        <input
          type="range"
          min={0}
          max={0.99}
          step={0.01}
          value={view.smoothing}
          onChange={({ target }) => onView({ smoothing: target.valueAsNumber })}
          className="w-24 accent-(--accent)"
        />
        <span className="w-8 text-ink tabular-nums">{view.smoothing.toFixed(2)}</span>
      </label>
      <label className="flex items-center gap-1.5 text-ink-muted">
        <input
          type="checkbox"
          checked={view.isLog}
          onChange={({ target }) => onView({ isLog: target.checked })}
          className="size-3.5 accent-(--accent)"
        />
        Log scale
      </label>
      <IconButton
        icon={Table2}
        label="Show as a table"
        aria-pressed={view.isTable}
        className={classes("size-7", view.isTable ? "bg-accent-soft text-accent-text" : null)}
        onClick={() => onView({ isTable: !view.isTable })}
      />
      {onReset ? (
        <Button size="sm" variant="ghost" onClick={onReset}>
          <RotateCcw className="size-3.5" aria-hidden="true" />
          Reset zoom
        </Button>
      ) : null}
    </div>
  );
}
