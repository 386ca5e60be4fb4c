import {
  ChartNoAxesColumn,
  CircleCheck,
  CircleMinus,
  CircleStop,
  CircleX,
  Clock,
  LoaderCircle,
  Maximize2,
} from "lucide-react";
import { type MouseEvent, useState, useSyncExternalStore } from "react";

import { jsonViewer } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { NodeOutput } from "@miranda/contract/schemas/processors.ts";

import { readOutputsOf } from "../../api/runs.ts";
import { usePlan } from "../../panels/processor/use-plan.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import type { ShownRun } from "../../providers/processor/run-store.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { outputOf } from "../../ui/output/output-kind.ts";
import { OutputView } from "../../ui/output/output-view.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import { useQuery } from "@tanstack/react-query";
import { useEditor, useUi } from "./editor-context.tsx";
import { hangingIn } from "./preview-room.ts";
import { durationWords, shareWords } from "./run-words.ts";

const looks = {
  waiting: { icon: Clock, tone: "text-ink-faint", words: "Waits" },
  running: { icon: LoaderCircle, tone: "text-info-text", words: "Runs" },
  done: { icon: CircleCheck, tone: "text-success-text", words: "Ran" },
  error: { icon: CircleX, tone: "text-danger-text", words: "Failed" },
  stopped: { icon: CircleStop, tone: "text-ink-faint", words: "Was stopped" },
  idle: { icon: CircleMinus, tone: "text-ink-faint", words: "Was not reached" },
} as const;

/** Under a card: how its last run went, what share of the run it was, and what it showed. */
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
 * Never covers another card until somebody looks at this one: where there is little room it is a chip, and opens when the
 * card is pointed at or selected.
 */
function Hanging({ node, selected, run, output }: HangingProps) {
  const { rooms, session } = useEditor();
  const room = useSyncExternalStore(session.store.watch, () => rooms.below(node.metadata_id));
  const isAlone = useUi((state) => selected && state.selected.size === 1);
  const [isOpen, setIsOpen] = useState(false);
  const { show, preview, isLimited } = hangingIn(room);
  const label = `Output of ${node.name}`;
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    setIsOpen(true);
  };
  return (
    <div
      className="node-run nodrag nopan"
      data-testid="node-run"
      data-show={show}
      data-open={isAlone || undefined}
      data-limited={isLimited || undefined}
      style={{ "--preview": `${preview}px` } as React.CSSProperties}
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
      {output ? (
        <div className="node-output" data-testid="node-output">
          <OutputView output={outputOf(output.data)} label={label} limits={jsonViewer} small />
          <button type="button" className="absolute inset-0 rounded-md" aria-label={label} onClick={open}>
            <Maximize2 className="node-output-more" aria-hidden="true" />
          </button>
        </div>
      ) : null}
      {isOpen && output ? <Outputs jobId={output.job_id} node={node} onClose={() => setIsOpen(false)} /> : null}
    </div>
  );
}

function RunChip({ node, run }: { node: Node; run: ShownRun }) {
  const look = looks[run.status as keyof typeof looks] ?? looks.idle;
  const Icon = look.icon;
  const isOver = run.status === "done" || run.status === "error";
  return (
    <Tooltip side="bottom" text={<RunWords node={node} run={run} />}>
      <button type="button" className="node-run-chip" data-testid="node-run-chip" data-status={run.status}>
        <Icon className={look.tone} aria-label={look.words} />
        {isOver ? <span>{durationWords(run.seconds)}</span> : null}
        {run.status === "stopped" ? <span className="text-ink-faint">stopped</span> : null}
        {run.share === undefined ? null : <span className="text-ink-faint">{shareWords(run.share)}</span>}
        {run.isEarlier ? <span className="text-ink-faint">unchanged</span> : null}
      </button>
    </Tooltip>
  );
}

/** Asked for when somebody wants to know: what would happen to it in the next run. */
function RunWords({ node, run }: { node: Node; run: ShownRun }) {
  const { plan } = usePlan({ mode: "changed" });
  const next = plan?.find(({ wob_key }) => wob_key === node.metadata_id);
  const look = looks[run.status as keyof typeof looks] ?? looks.idle;
  return (
    <span className="flex flex-col gap-0.5" data-testid="run-words">
      <span>
        {look.words}
        {run.fires > 1 ? ` ${run.fires.toLocaleString()} times` : ""}
        {run.seconds > 0 ? ` in ${durationWords(run.seconds)}` : ""}.
      </span>
      {run.share === undefined ? null : <span>{shareWords(run.share)} of the run's time and cost.</span>}
      {next ? <span>{next.run ? `Would run: ${next.reason}` : `Would not run: ${next.reason}`}</span> : null}
    </span>
  );
}

function Outputs({ jobId, node, onClose }: { jobId: string; node: Node; onClose: () => void }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["outputs", jobId, node.metadata_id],
    queryFn: () => readOutputsOf(jobId, node.metadata_id),
    staleTime: 0,
    refetchInterval: false,
  });
  const last = Math.max(0, ...(data ?? []).map(({ run }) => run));
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Output of ${node.name}`} wide reading>
      {error ? (
        <LoadFailure
          title="The output could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data ? null : <Spinner label="Loading the output" />}
      <div className="flex flex-col gap-4">
        {(data ?? [])
          .filter(({ run }) => run === last)
          .map(({ number, data: bundle }) => (
            <OutputView key={number} output={outputOf(bundle)} label={`Output ${number}`} limits={jsonViewer} />
          ))}
      </div>
    </Dialog>
  );
}
