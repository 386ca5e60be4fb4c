import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";

import { isAlive } from "@miranda/contract/processor.ts";
import { jsonViewer } from "../../../limits.ts";
import type { Edge } from "@miranda/contract/schemas/nodes.ts";

import { useProcessor, useProcessorState } from "../../../providers/processor/processor-provider.tsx";
import { idOf } from "@miranda/contract/graph/resolution/resolve-content.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { valueOutput } from "../../../ui/output/output-kind.ts";
import { OutputView } from "../../../ui/output/output-view.tsx";
import { useEditor, useUi, useView, useViewOnly } from "../editor-context.tsx";

const restAfter = 200;

/** The last value that went through an edge. Asks the processor once per run. */
function useSample(edge: Edge | undefined) {
  const { graphId, runs, actions } = useProcessor();
  const viewOnly = useViewOnly();
  const shown = useProcessorState((state) => state.shown);
  const lastRun = useSyncExternalStore(runs.watch, runs.lastRun);
  const jobId = useProcessorState((state) => state.job?.id);
  const source = edge?.source_wob_key ?? 0;
  const transmitter = edge?.source_transmitter_key ?? "";
  const status = useSyncExternalStore(runs.watch, () => runs.runOf(source)?.status);
  return useQuery({
    queryKey: ["sample", graphId, jobId, lastRun, status, source, transmitter],
    queryFn: () => actions.sample({ node: source, transmitter }),
    enabled: edge !== undefined && !viewOnly && shown !== undefined && isAlive(shown) && lastRun > 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    retry: false,
  });
}

function summaryOf({ kind, size }: { kind: string | null; size: string | null }): string {
  if (kind === null) return "No value has passed through it in this session.";
  return size ? `${kind} · ${size}` : kind;
}

/** The value once it has not changed for a moment: crossing an edge with the pointer must not ask the processor. */
function useStableValue<Value>(value: Value): Value | null {
  const [resting, setResting] = useState<Value | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), restAfter);
    return () => clearTimeout(timer);
  }, [value]);
  return resting === value ? value : null;
}

/** A tooltip while the pointer rests on an edge. */
export function EdgeHint() {
  const hovered = useStableValue(useUi((state) => state.hovered));
  const edge = useView((view) => view.resolved.edges.find((one) => idOf(one) === hovered?.id));
  const { data } = useSample(edge);
  if (!hovered || !edge || !data) return null;
  return (
    <output
      data-testid="edge-hint"
      className="pointer-events-none fixed z-30 max-w-72 animate-fade rounded-sm bg-ink px-2 py-1 text-xs text-canvas shadow-high"
      style={{ left: hovered.x + 12, top: hovered.y + 14 }}
    >
      {summaryOf(data)}
    </output>
  );
}

/** The last value of the selected edge, shortened. */
export function EdgeSample() {
  const { ui } = useEditor();
  const id = useUi(({ selected, selectedEdges }) =>
    selected.size === 0 && selectedEdges.size === 1 ? [...selectedEdges][0] : undefined,
  );
  const edge = useView((view) => view.resolved.edges.find((one) => idOf(one) === id));
  const names = useView(({ resolved }) => {
    const [from, to] = [resolved.nodes[edge?.source_wob_key ?? -1], resolved.nodes[edge?.destination_wob_key ?? -1]];
    return from && to ? `${from.name} → ${to.name}` : "";
  });
  const { data, error } = useSample(edge);
  if (!edge || !(data ?? error)) return null;
  return (
    <aside
      aria-label="Last value"
      data-testid="edge-sample"
      data-covers=""
      className="pointer-events-auto flex max-h-full w-80 max-w-full flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-high max-sm:max-h-[45dvh] max-sm:w-full"
    >
      <header className="flex shrink-0 items-center justify-between gap-2 border-b border-line py-1.5 pr-2 pl-4">
        <div className="min-w-0">
          <h2 className="truncate text-sm font-semibold">{names}</h2>
          <p className="truncate text-xs text-ink-muted">{data ? summaryOf(data) : error?.message}</p>
        </div>
        <IconButton icon={X} label="Close" onClick={() => ui.select([])} />
      </header>
      {data && data.kind !== null ? (
        <div
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
          tabIndex={0}
          className="min-h-0 overflow-auto p-3 -outline-offset-2 select-text"
        >
          <OutputView output={valueOutput(data.value)} label="Last value" limits={jsonViewer} />
          {(data.sent ?? 2) > 1 ? (
            <p className="mt-2 text-xs text-ink-faint">
              The last of {data.sent === null ? "many" : data.sent.toLocaleString()} in its last run.
            </p>
          ) : null}
        </div>
      ) : null}
    </aside>
  );
}
