import {
  ChartNoAxesColumn,
  ChevronLeft,
  ChevronRight,
  CircleCheck,
  CircleMinus,
  CircleStop,
  CircleX,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Maximize2,
} from "lucide-react";
import { type MouseEvent, useState, useSyncExternalStore } from "react";

import { jsonViewer } from "../../../limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { NodeOutput } from "@miranda/contract/schemas/processors.ts";

import { OldMark } from "../../../panels/outputs/node-outputs.tsx";
import { useBars } from "../../../panels/outputs/progress-bars.tsx";
import { BarLine, formatProgress } from "../../../ui/progress-bar.tsx";
import { useNodeOutputs } from "../../../panels/outputs/use-node-outputs.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { formatShare } from "../../../format/share.ts";
import { usePlan } from "../../../panels/processor/use-plan.ts";
import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import type { ShownRun } from "../../../providers/processor/runs/run-store.ts";
import { outputOf } from "../../../ui/output/output-kind.ts";
import { OutputView } from "../../../ui/output/output-view.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { Tooltip } from "../../../ui/overlay/tooltip.tsx";
import { useEditor, useUi } from "../editor-context.tsx";
import { hangingIn } from "./preview-room.ts";

interface Look {
  icon: LucideIcon;
  tone: string;
  label: string;
}

const idle: Look = { icon: CircleMinus, tone: "text-ink-faint", label: "Was not reached" };
const looks: Readonly<Record<string, Look>> = {
  waiting: { icon: Clock, tone: "text-ink-faint", label: "Waits" },
  running: { icon: LoaderCircle, tone: "text-info-text", label: "Runs" },
  done: { icon: CircleCheck, tone: "text-success-text", label: "Ran" },
  error: { icon: CircleX, tone: "text-danger-text", label: "Failed" },
  stopped: { icon: CircleStop, tone: "text-ink-faint", label: "Was stopped" },
  idle,
};

/** Below a card: how its last run went, its share of the run, and its output. */
export function NodeRunState({ node, selected }: { node: Node; selected: boolean }) {
  const { runs } = useProcessor();
  const run = useSyncExternalStore(runs.watch, () => runs.runOf(node.metadata_id));
  const output = useSyncExternalStore(runs.watch, () => runs.outputOf(node.metadata_id));
  return run || output ? <Hanging node={node} selected={selected} run={run} output={output} /> : null;
}

interface HangingProps {
  node: Node;
  selected: boolean;
  run: ShownRun | undefined;
  output: NodeOutput | undefined;
}

/**
 * Covers no other card until the person points at this one: where there is little space it is a chip that opens on
 * hover or selection.
 */
function Hanging({ node, selected, run, output }: HangingProps) {
  const { rooms, session, ui } = useEditor();
  const room = useSyncExternalStore(session.store.watch, () => rooms.below(node.metadata_id));
  const isAlone = useUi((state) => selected && state.selected.size === 1);
  const { show, preview, isLimited } = hangingIn(room);
  const label = `Output of ${node.name}`;
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    ui.set({ dialog: { type: "outputs", id: node.metadata_id } });
  };
  return (
    <div
      className="node-run nodrag nopan"
      data-testid="node-run"
      data-show={show}
      data-open={isAlone || undefined}
      data-limited={isLimited || undefined}
      style={{ "--preview": `${preview}px` }}
    >
      <div className="node-run-chips">
        {run ? <RunChip node={node} run={run} /> : null}
        {output && show !== "all" ? (
          <button
            type="button"
            className="node-run-chip"
            aria-label={label}
            data-testid="node-output-chip"
            onClick={open}
          >
            <ChartNoAxesColumn className="text-ink-faint" aria-hidden="true" />
            Output
          </button>
        ) : null}
      </div>
      {output ? <Preview key={output.run} node={node.metadata_id} last={output} label={label} onOpen={open} /> : null}
    </div>
  );
}

interface PreviewProps {
  node: number;
  last: NodeOutput;
  label: string;
  onOpen: (event: MouseEvent) => void;
}

/** The last output, with buttons for the others. */
function Preview({ node, last, label, onOpen }: PreviewProps) {
  const { runs } = useProcessor();
  const isOld = useSyncExternalStore(runs.watch, () => runs.isOldOutput(node));
  // Null means the last one.
  const [chosen, setChosen] = useState<number | null>(null);
  const { outputs } = useNodeOutputs(node, chosen !== null);
  const number = chosen ?? last.number;
  const shown = chosen === null ? last : (outputs.find((output) => output.number === number) ?? last);
  const go = (event: MouseEvent, to: number) => {
    event.stopPropagation();
    setChosen(to >= last.number ? null : Math.max(1, to));
  };
  return (
    <div className="node-output" data-testid="node-output" data-old={isOld || undefined}>
      {isOld ? <OldMark /> : null}
      <div className="node-output-body">
        <OutputView output={outputOf(shown.data)} label={label} limits={jsonViewer} small />
        <button type="button" className="absolute inset-0 rounded-md" aria-label={label} onClick={onOpen}>
          <Maximize2 className="node-output-more" aria-hidden="true" />
        </button>
      </div>
      {last.number > 1 ? (
        <div className="node-output-pager">
          <button
            type="button"
            aria-label="Previous output"
            disabled={number <= 1}
            onClick={(event) => go(event, number - 1)}
          >
            <ChevronLeft aria-hidden="true" />
          </button>
          <span data-testid="output-count">
            {number} of {last.number}
          </span>
          <button
            type="button"
            aria-label="Next output"
            disabled={number >= last.number}
            onClick={(event) => go(event, number + 1)}
          >
            <ChevronRight aria-hidden="true" />
          </button>
        </div>
      ) : null}
    </div>
  );
}

/** Progress bars below the name on a card. */
export function CardBars({ node }: { node: number }) {
  const bars = useBars(node);
  return bars ? (
    <div className="node-bars" data-testid="node-bars">
      {bars.slice(-2).map((bar, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- two bars may have the same label
        <BarLine key={at} bar={bar} className="h-[3px]" />
      ))}
    </div>
  ) : null;
}

function RunChip({ node, run }: { node: Node; run: ShownRun }) {
  const look = looks[run.status] ?? idle;
  const Icon = look.icon;
  const isOver = run.status === "done" || run.status === "error";
  const bar = useBars(node.metadata_id)?.at(-1);
  return (
    <Tooltip side="bottom" text={<RunSummary node={node} run={run} />}>
      <button type="button" className="node-run-chip" data-testid="node-run-chip" data-status={run.status}>
        <Icon className={look.tone} aria-label={look.label} />
        {isOver ? <span>{durationText(run.seconds)}</span> : null}
        {bar ? (
          <span className="max-w-40 truncate" data-testid="bar-words">
            {bar.label === "" ? null : <span className="text-ink-faint">{oneLine(bar.label)} </span>}
            {formatProgress(bar)}
          </span>
        ) : null}
        {run.status === "stopped" ? <span className="text-ink-faint">stopped</span> : null}
        {run.share === undefined ? null : <span className="text-ink-faint">{formatShare(run.share)}</span>}
        {run.isEarlier ? <span className="text-ink-faint">unchanged</span> : null}
      </button>
    </Tooltip>
  );
}

/** Loaded when the tooltip opens: what the next run would do with the node. */
function RunSummary({ node, run }: { node: Node; run: ShownRun }) {
  const { plan } = usePlan({ mode: "changed" });
  const next = plan?.find(({ wob_key }) => wob_key === node.metadata_id);
  const look = looks[run.status] ?? idle;
  return (
    <span className="flex flex-col gap-0.5" data-testid="run-words">
      <span>
        {look.label}
        {run.fires > 1 ? ` ${run.fires.toLocaleString()} times` : ""}
        {run.seconds > 0 ? ` in ${durationText(run.seconds)}` : ""}.
      </span>
      {run.share === undefined ? null : <span>{formatShare(run.share)} of the run's time and cost.</span>}
      {next ? <span>{next.run ? `Would run: ${next.reason}` : `Would not run: ${next.reason}`}</span> : null}
    </span>
  );
}
