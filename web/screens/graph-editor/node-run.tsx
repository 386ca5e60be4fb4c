import { CircleCheck, CircleX, Clock, LoaderCircle, Maximize2 } from "lucide-react";
import { useState, useSyncExternalStore } from "react";

import { jsonViewer } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { readOutputsOf } from "../../api/runs.ts";
import { usePlan } from "../../panels/processor/use-plan.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import type { ShownRun } from "../../providers/processor/run-store.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { outputOf } from "../../ui/output-kind.ts";
import { OutputView } from "../../ui/output-view.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import { useQuery } from "@tanstack/react-query";
import { durationWords, shareWords } from "./run-words.ts";

const looks = {
  waiting: { icon: Clock, tone: "text-ink-faint", words: "Waits" },
  running: { icon: LoaderCircle, tone: "text-info-text", words: "Runs" },
  done: { icon: CircleCheck, tone: "text-success-text", words: "Ran" },
  error: { icon: CircleX, tone: "text-danger-text", words: "Failed" },
  idle: { icon: Clock, tone: "text-ink-faint", words: "Was not reached" },
} as const;

/** Under a card: how its last run went, what share of the run it was, and what it showed. */
export function NodeRunState({ node }: { node: Node }) {
  const { runs } = useProcessor();
  const id = node.metadata_id;
  const run = useSyncExternalStore(runs.watch, () => runs.runOf(id));
  const output = useSyncExternalStore(runs.watch, () => runs.outputOf(id));
  const [isOpen, setIsOpen] = useState(false);
  if (!run && !output) return null;
  return (
    <div className="node-run nodrag nopan" data-testid="node-run">
      {run ? <RunChip node={node} run={run} /> : null}
      {output ? (
        <button
          type="button"
          className="node-output"
          aria-label={`Output of ${node.name}`}
          data-testid="node-output"
          onClick={(event) => {
            event.stopPropagation();
            setIsOpen(true);
          }}
        >
          <OutputView output={outputOf(output.data)} label={`Output of ${node.name}`} limits={jsonViewer} small />
          <Maximize2 className="node-output-more" aria-hidden="true" />
        </button>
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
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Output of ${node.name}`} wide>
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
