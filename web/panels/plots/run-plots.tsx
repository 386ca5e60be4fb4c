import { Columns3 } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { useNavigate } from "react-router";

import { Button } from "../../ui/button.tsx";
import { counted } from "../../ui/counted.ts";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { Dropdown, DropdownCheckbox } from "../../ui/overlay/dropdown.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { type Brushes, chosenRuns, withBrush } from "./brushes.ts";
import { ChosenRuns } from "./chosen-runs.tsx";
import { ParallelPlot } from "./parallel-plot.tsx";
import { axesOf, isVaried, marksOf, type PlotAxis, type PlotItem } from "./plot-axes.ts";
import { colourBar } from "./plot-colours.ts";
import { ScatterPlot } from "./scatter-plot.tsx";

const shownAtFirst = 8;

interface RunPlotsProps {
  runs: readonly PlotItem[];
  /** What they are: run, version. */
  noun: string;
  /** What can be done with those that are chosen. */
  renderAction?: (chosen: readonly PlotItem[]) => ReactNode;
}

/** Many runs by their parameters and metrics: as lines, as dots, and as a list. A choice in one shows in all. */
export function RunPlots({ runs, noun, renderAction }: RunPlotsProps) {
  const navigate = useNavigate();
  const axes = useMemo(() => axesOf(runs), [runs]);
  const [hidden, setHidden] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [brushes, setBrushes] = useState<Brushes>(new Map());
  const [wanted, setWanted] = useState<Readonly<Record<"x" | "y" | "colour", string | undefined>>>({
    ...{ x: undefined, y: undefined, colour: undefined },
  });
  const [pointedId, setPointedId] = useState<string>();
  const first = useMemo(() => firstAxes(axes, runs), [axes, runs]);
  const shown = useMemo(
    () => axes.filter(({ key }) => !(hidden.get(key) ?? !first.includes(key))),
    [axes, hidden, first],
  );
  const chosen = useMemo(() => chosenRuns(runs, axes, brushes), [runs, axes, brushes]);
  const chosenIds = useMemo(() => new Set(chosen.map(({ id }) => id)), [chosen]);

  const metrics = axes.filter(({ kind }) => kind === "metric");
  const find = (key: string | undefined) => axes.find((axis) => axis.key === key);
  const colour = find(wanted.colour) ?? metrics.find((axis) => isVaried(axis, runs)) ?? metrics[0];
  const x = find(wanted.x) ?? shown.find(({ kind }) => kind === "param") ?? shown[0] ?? axes[0];
  const y = find(wanted.y) ?? metrics.find(({ key }) => key !== x?.key) ?? axes[0];
  if (axes.length === 0 || !x || !y)
    return <p className="text-ink-muted">There are no parameters or metrics to draw.</p>;
  const shared = {
    ...{ runs, chosen: chosenIds, colour, brushes },
    pointed: runs.find(({ id }) => id === pointedId),
    onPoint: setPointedId,
    onOpen: ({ address }: PlotItem) => {
      if (address !== null) void navigate(address);
    },
  };
  const choose = (part: keyof typeof wanted) => (key: string) => setWanted({ ...wanted, [part]: key });

  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Plot
        title="Parallel coordinates"
        hint="Drag along an axis to choose. With the keyboard, the arrow keys on an axis choose and Escape takes it back."
        tools={
          <>
            <AxisSelect label="Colour" axes={axes} chosen={colour} onChoose={choose("colour")} />
            <Dropdown
              trigger={
                <Button>
                  <Columns3 className="size-4" aria-hidden="true" />
                  Axes
                </Button>
              }
            >
              <div className="max-h-80 overflow-y-auto">
                {axes.map(({ key, label }) => (
                  <DropdownCheckbox
                    key={key}
                    checked={shown.some((axis) => axis.key === key)}
                    onCheckedChange={(checked) => setHidden(new Map([...hidden, [key, !checked]]))}
                    // Keep the menu open, so that several can be ticked.
                    onSelect={(event) => event.preventDefault()}
                  >
                    <span className="max-w-64 truncate">{oneLine(label)}</span>
                  </DropdownCheckbox>
                ))}
              </div>
            </Dropdown>
          </>
        }
      >
        {shown.length === 0 ? (
          <p className="grid h-40 place-items-center text-ink-muted">Choose an axis to draw.</p>
        ) : (
          <ParallelPlot
            {...shared}
            axes={shown}
            onBrush={(key, range) => setBrushes((known) => withBrush(known, key, range))}
          />
        )}
        {colour ? <ColourKey axis={colour} /> : null}
      </Plot>
      <Plot
        title="Scatter plot"
        hint="Drag a rectangle to choose."
        tools={
          <>
            <AxisSelect label="Vertical" axes={axes} chosen={y} onChoose={choose("y")} />
            <AxisSelect label="Horizontal" axes={axes} chosen={x} onChoose={choose("x")} />
          </>
        }
      >
        <ScatterPlot
          {...shared}
          x={x}
          y={y}
          onBrushes={(across, up) =>
            setBrushes((known) => withBrush(withBrush(known, x.key, across), y.key, x.key === y.key ? across : up))
          }
        />
      </Plot>
      <section aria-label="Chosen" className="flex min-w-0 flex-col gap-2">
        <div className="flex min-h-9 flex-wrap items-center gap-3">
          <h3 className="font-semibold" aria-live="polite" data-testid="chosen-count">
            {brushes.size === 0 ? counted(runs.length, noun) : `${chosen.length} of ${counted(runs.length, noun)}`}
          </h3>
          {brushes.size > 0 ? (
            <Button size="sm" onClick={() => setBrushes(new Map())}>
              Show all
            </Button>
          ) : null}
          {renderAction?.(chosen)}
        </div>
        <ChosenRuns runs={chosen} axes={shown} pointed={pointedId} onPoint={setPointedId} />
      </section>
    </div>
  );
}

/** What the runs differ in, at most a few of each kind. */
function firstAxes(axes: readonly PlotAxis[], runs: readonly PlotItem[]): string[] {
  const varied = axes.filter((axis) => isVaried(axis, runs));
  const metrics = varied.filter(({ kind }) => kind === "metric").slice(0, shownAtFirst / 2);
  const params = varied.filter(({ kind }) => kind === "param").slice(0, shownAtFirst - metrics.length);
  const found = [...params, ...metrics];
  return (found.length > 1 ? found : axes.slice(0, shownAtFirst)).map(({ key }) => key);
}

function Plot({
  title,
  hint,
  tools,
  children,
}: {
  title: string;
  hint: string;
  tools: ReactNode;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4 shadow-low max-sm:p-3"
    >
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="font-semibold">{title}</h3>
          <p className="text-sm text-ink-muted">{hint}</p>
        </div>
        {tools}
      </div>
      {children}
    </section>
  );
}

interface AxisSelectProps {
  label: string;
  axes: readonly PlotAxis[];
  chosen: PlotAxis | undefined;
  onChoose: (key: string) => void;
}

function AxisSelect({ label, axes, chosen, onChoose }: AxisSelectProps) {
  return (
    <span className="flex flex-col gap-0.5">
      <span aria-hidden="true" className="text-xs text-ink-muted">
        {label}
      </span>
      <PlainSelect label={label} value={chosen?.key ?? ""} onChange={onChoose}>
        {axes.map(({ key, label: name }) => (
          <option key={key} value={key}>
            {oneLine(name)}
          </option>
        ))}
      </PlainSelect>
    </span>
  );
}

function ColourKey({ axis }: { axis: PlotAxis }) {
  const marks = marksOf(axis);
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-ink-muted">
      <span className="font-medium text-ink">{oneLine(axis.label)}</span>
      <span className="tabular-nums">{oneLine(marks[0]?.words ?? "")}</span>
      <span aria-hidden="true" className="h-2 w-32 rounded-full" style={{ background: colourBar }} />
      <span className="sr-only">to</span>
      <span className="tabular-nums">{oneLine(marks.at(-1)?.words ?? "")}</span>
    </p>
  );
}
