import { type ReactNode, useMemo, useState } from "react";

import type { RunMetrics, RunUsage } from "@miranda/contract/schemas/runs.ts";

import { errorWords } from "../../format/error-words.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { Chart } from "./chart.tsx";
import { type ChartLine, metricLines, smoothed, usageCharts } from "./chart-lines.ts";
import { type Range, xRange } from "./chart-scale.ts";
import { ChartTools, type ChartView } from "./chart-tools.tsx";
import { clockWords, numberWords, usageWords } from "./chart-words.ts";
import { LineChoice } from "./line-choice.tsx";
import { LineMark } from "./line-mark.tsx";
import { PointsTable } from "./points-table.tsx";
import { useRunMetrics } from "./use-run-metrics.ts";

interface MetricsPanelProps {
  runId: string;
  isAlive: boolean;
  nameOf: (node: number) => string | undefined;
}

/** What a run logged with `log_metric`, and what its session used meanwhile. Needs a RealtimeProvider around it. */
export function MetricsPanel({ runId, isAlive, nameOf }: MetricsPanelProps) {
  const { metrics, usage } = useRunMetrics(runId, isAlive);
  if (metrics.isPending) return <LoadingArea label="Loading the metrics" />;
  if (metrics.isError) return <p className="p-3 text-sm text-danger-text">{errorWords(metrics.error)}</p>;
  return <RunCharts key={runId} metrics={metrics.data} usage={usage.data ?? null} isAlive={isAlive} nameOf={nameOf} />;
}

interface RunChartsProps extends Omit<MetricsPanelProps, "runId"> {
  metrics: RunMetrics;
  usage: RunUsage | null;
}

const heights = { metrics: 240, usage: 92 } as const;
const firstView: ChartView = { axis: "step", isLog: false, smoothing: 0, isTable: false };

/** The metrics of a run as line charts, and what its session used, if that is known. */
export function RunCharts({ metrics, usage, isAlive, nameOf }: RunChartsProps) {
  const [view, setView] = useState(firstView);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [zoom, setZoom] = useState<Range>();
  const [timeZoom, setTimeZoom] = useState<Range>();
  const [pointed, setPointed] = useState<number>();
  const [pointedTime, setPointedTime] = useState<number>();
  const { axis, isLog, smoothing } = view;
  const isTime = axis === "time";

  const lines = useMemo(() => metricLines(metrics, axis, nameOf), [metrics, axis, nameOf]);
  const drawn = useMemo(
    () => shownOf(lines, chosen).map((line) => withSmoothing(line, smoothing)),
    [lines, chosen, smoothing],
  );
  const used = useMemo(() => (usage ? usageCharts(usage) : []), [usage]);
  const usedLines = used.flatMap((chart) => chart.lines);
  const whole = xRange(isTime ? [...drawn, ...usedLines] : drawn);
  // With time at the bottom of both, they share one axis, zoom and pointer.
  const wholeTime = isTime ? whole : xRange(usedLines);
  const timeShown = isTime ? zoom : timeZoom;
  const xWords = isTime ? clockWords : numberWords;

  return (
    <div className="flex min-w-0 flex-col gap-3 px-3 py-2">
      {lines.length === 0 ? (
        <p className="text-sm text-ink-muted">
          {isAlive ? "Nothing is logged yet." : "This run has logged no metrics."} Call{" "}
          <code className="rounded-sm bg-sunken px-1 font-mono text-xs">miranda.log_metric("loss", value)</code> in a
          node to draw a line here.
        </p>
      ) : (
        <section aria-label="Metrics" className="flex min-w-0 flex-col gap-2">
          <ChartTools
            view={view}
            onView={(changes) => {
              setView({ ...view, ...changes });
              if (changes.axis) setZoom(undefined);
              if (changes.axis) setPointed(undefined);
            }}
            onReset={zoom && (() => setZoom(undefined))}
          />
          <LineChoice
            lines={lines}
            shown={drawn}
            onChoose={(key, isShown) => setChosen(new Map([...chosen, [key, isShown]]))}
          />
          {whole && drawn.length > 0 ? (
            <Chart
              label={`Metrics by ${axis}`}
              lines={drawn}
              range={zoom ?? whole}
              height={heights.metrics}
              isLog={isLog}
              xWords={xWords}
              yWords={numberWords}
              pointed={pointed}
              onPoint={setPointed}
              onZoom={setZoom}
            />
          ) : (
            <p className="grid h-40 place-items-center text-sm text-ink-muted">Choose a metric to draw.</p>
          )}
          {view.isTable ? <PointsTable lines={drawn} axis={isTime ? "Time" : "Step"} xWords={xWords} /> : null}
        </section>
      )}
      {wholeTime && used.length > 0 ? (
        <section aria-label="What the session used" className="flex min-w-0 flex-col gap-1">
          {used.map(({ title, unit, lines: own }, at) => (
            <Usage key={title} title={unit === "cores" ? `${title}, in cores` : title} lines={own}>
              <Chart
                label={`${title} over time`}
                lines={own}
                range={timeShown ?? wholeTime}
                height={heights.usage + (at === used.length - 1 ? 14 : 0)}
                xWords={clockWords}
                yWords={usageWords(unit)}
                pointed={isTime ? pointed : pointedTime}
                onPoint={isTime ? setPointed : setPointedTime}
                onZoom={isTime ? setZoom : setTimeZoom}
                hasXNames={at === used.length - 1}
              />
            </Usage>
          ))}
        </section>
      ) : null}
    </div>
  );
}

/** More lines than this are drawn only when the person chooses them. */
const drawnAtFirst = 10;

function shownOf(lines: readonly ChartLine[], chosen: ReadonlyMap<string, boolean>): ChartLine[] {
  return lines.filter(({ key }, at) => chosen.get(key) ?? at < drawnAtFirst);
}

function withSmoothing(line: ChartLine, weight: number): ChartLine {
  return weight > 0 ? { ...line, y: smoothed(line.y, weight), raw: line.y } : line;
}

function Usage({ title, lines, children }: { title: string; lines: readonly ChartLine[]; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h4 className="flex items-center gap-3 text-xs text-ink-muted">
        <span className="font-medium">{title}</span>
        {lines.length > 1
          ? lines.map((line) => (
              <span key={line.key} className="flex items-center gap-1">
                <LineMark line={line} />
                {line.label}
              </span>
            ))
          : null}
      </h4>
      {children}
    </div>
  );
}
