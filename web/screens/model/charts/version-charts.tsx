import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ChartSpline } from "lucide-react";
import { useMemo, useState } from "react";

import { modelMetricsQuery } from "../../../api/models/model.ts";
import { Chart } from "../../../panels/metrics/chart.tsx";
import type { ChartLine } from "../../../panels/metrics/chart-lines.ts";
import { smoothed } from "../../../panels/metrics/chart-lines.ts";
import { MarkSample } from "../../../panels/metrics/chart-marks.tsx";
import { type Range, xRange } from "../../../panels/metrics/chart-scale.ts";
import { ChartTools, type ChartView } from "../../../panels/metrics/chart-tools.tsx";
import { clockWords, numberWords } from "../../../panels/metrics/chart-words.ts";
import { PointsTable } from "../../../panels/metrics/points-table.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useOpenModel } from "../open-model.tsx";
import { metricCharts } from "./version-lines.ts";

const most = 24;
const firstView: ChartView = { axis: "step", isLog: false, smoothing: 0, isTable: false };

/** A chart for each metric, with a line for each of these versions. */
export function VersionCharts({ shown }: { shown: readonly number[] }) {
  const { model } = useOpenModel();
  const metrics = useQuery({ ...modelMetricsQuery(model.id, shown), placeholderData: keepPreviousData });
  const [view, setView] = useState(firstView);
  const [zoom, setZoom] = useState<Range>();
  const charts = useMemo(() => metricCharts(metrics.data ?? [], shown, view.axis), [metrics.data, shown, view.axis]);
  if (metrics.error && !metrics.data)
    return (
      <LoadFailure
        title="The charts could not be loaded"
        message={metrics.error.message}
        busy={metrics.isFetching}
        onRetry={() => void metrics.refetch()}
      />
    );
  if (metrics.isPending && shown.length > 0) return <LoadingArea label="Loading the charts" />;
  return charts.length === 0 ? (
    <NoCharts hasVersions={shown.length > 0} />
  ) : (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <ChartTools
          view={view}
          onView={(changes) => {
            setView({ ...view, ...changes });
            if (changes.axis) setZoom(undefined);
          }}
          onReset={zoom && (() => setZoom(undefined))}
        />
        <p className="flex items-center gap-4 text-sm text-ink-muted">
          <span className="flex items-center gap-1">
            <MarkSample kind="best" /> best
          </span>
          <span className="flex items-center gap-1">
            <MarkSample kind="last" /> last
          </span>
        </p>
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        {charts.slice(0, most).map(({ name, lines }) => (
          <OneChart key={name} name={name} lines={lines} view={view} zoom={zoom} onZoom={setZoom} />
        ))}
      </div>
      {charts.length > most ? (
        <p className="text-sm text-ink-muted">
          The first {most} of {charts.length} metrics are drawn. The table of versions has them all.
        </p>
      ) : null}
    </>
  );
}

interface OneChartProps {
  name: string;
  lines: readonly ChartLine[];
  view: ChartView;
  zoom: Range | undefined;
  onZoom: (zoom: Range | undefined) => void;
}

function OneChart({ name, lines, view, zoom, onZoom }: OneChartProps) {
  const [pointed, setPointed] = useState<number>();
  const { axis, smoothing, isLog, isTable } = view;
  const drawn = useMemo(() => lines.map((line) => withSmoothing(line, smoothing)), [lines, smoothing]);
  const whole = xRange(drawn);
  const xWords = axis === "time" ? clockWords : numberWords;
  return (
    <section
      aria-label={oneLine(name)}
      data-testid="metric-chart"
      className="min-w-0 rounded-lg border border-line bg-surface p-3 shadow-low"
    >
      <h2 dir="auto" className="truncate px-1 font-medium" title={oneLine(name)}>
        {oneLine(name)}
      </h2>
      {whole ? (
        <Chart
          label={`${oneLine(name)} by ${axis}`}
          lines={drawn}
          range={zoom ?? whole}
          height={240}
          isLog={isLog}
          xWords={xWords}
          yWords={numberWords}
          pointed={pointed}
          onPoint={setPointed}
          onZoom={onZoom}
        />
      ) : (
        <p className="grid h-60 place-items-center text-sm text-ink-muted">No values.</p>
      )}
      {isTable ? <PointsTable lines={drawn} axis={axis === "time" ? "Time" : "Step"} xWords={xWords} /> : null}
    </section>
  );
}

function withSmoothing(line: ChartLine, weight: number): ChartLine {
  return weight > 0 ? { ...line, y: smoothed(line.y, weight), raw: line.y } : line;
}

function NoCharts({ hasVersions }: { hasVersions: boolean }) {
  return (
    <EmptyState icon={ChartSpline} title={hasVersions ? "Nothing to draw" : "No version is chosen"}>
      {hasVersions ? (
        <>
          The runs of these versions logged no metrics. Call{" "}
          <code className="font-mono text-sm">miranda.log_metric("loss", value)</code> or{" "}
          <code className="font-mono text-sm">mlflow.log_metric("loss", value, step)</code> while training.
        </>
      ) : (
        "Choose the versions whose metrics you want to see."
      )}
    </EmptyState>
  );
}
