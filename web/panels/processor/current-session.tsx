import { useQuery } from "@tanstack/react-query";
import { ExternalLink, Play, RotateCw, Square, Wrench } from "lucide-react";
import { useState } from "react";

import { messages } from "@miranda/contract/words/messages.ts";
import { isAlive, type WorkflowState } from "@miranda/contract/processor.ts";
import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { type PanelAction, processorPanel } from "./panel-words.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import { floorTo2, usageBarOf } from "../../format/usage.ts";

import { queuePositionQuery } from "../../api/jobs/jobs.ts";
import { runModelsQuery } from "../../api/models/lineage.ts";
import { useProject } from "../../api/projects.ts";
import { useMoney, useSettings } from "../../api/settings.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import type { ProcessorActions } from "../../providers/processor/processor-session.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { UsageBar } from "../../ui/usage-bar.tsx";
import { MadeModels } from "../models/made-models.tsx";
import { ContinueOffer } from "./continue-offer.tsx";
import { containerAddress } from "./container-address.ts";
import { IdleNotice } from "./idle-notice.tsx";
import { LastAction } from "./last-action.tsx";
import { SessionIcon } from "./session-icon.tsx";

export function CurrentSession() {
  const { projectId, store } = useProcessor();
  const isViewOnly = useGraph((view) => view.loaded && view.viewOnly);
  const job = useProcessorState((state) => state.job);
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const panel = processorPanel(shown, isWaiting);
  const icon: WorkflowState | undefined = isWaiting ? "QUEUED" : shown;
  const live = job && shown && isAlive(shown) && !isWaiting ? job : undefined;
  return (
    <Card className="p-3">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">Current Session</h2>
        {live ? <ContainerLink job={live} projectId={projectId} /> : null}
      </div>
      <div className="mt-2 flex items-center gap-2">
        {icon ? (
          <SessionIcon state={icon} />
        ) : (
          <span className="size-4 rounded-full border-2 border-line-strong" aria-hidden="true" />
        )}
        <output data-testid="processor-label" className="font-medium">
          {panel.label}
        </output>
        {live ? (
          <span className="ml-auto text-xs text-ink-faint">
            <RelativeTime time={live.time_created} />
          </span>
        ) : null}
      </div>
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        {panel.actions.map((action) => (
          <ActionButton key={action} action={action} />
        ))}
      </div>
      {live ? <IdleNotice job={live} mayKeep={!isViewOnly} onKept={store.observe} className="mt-3" /> : null}
      {job?.workflow_state === "QUEUED" ? <QueueNotice job={job} mayLeave={!isViewOnly} /> : null}
      <ContinueOffer />
      <LastAction />
      <LastRunModels />
      {job && !isWaiting ? <Usage job={job} isLive={live !== undefined} /> : null}
    </Card>
  );
}

/** Why the session has not started, and the way out of the queue. */
function QueueNotice({ job, mayLeave }: { job: Pick<JobSummary, "id">; mayLeave: boolean }) {
  const { actions } = useProcessor();
  const [busy, setBusy] = useState(false);
  const { data: found } = useQuery(queuePositionQuery(job.id));
  if (!found) return null;
  return (
    <div data-testid="queue-notice" className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <output className="min-w-0 flex-1 basis-40 text-ink-muted">
        {found.position === null ? null : (
          <b className="font-medium text-ink">Number {found.position} in the queue. </b>
        )}
        {found.reason}
      </output>
      {mayLeave ? (
        <Button
          size="sm"
          busy={busy}
          onClick={() => {
            setBusy(true);
            toastFailure(actions.cancel().finally(() => setBusy(false)));
          }}
        >
          Leave the queue
        </Button>
      ) : null}
    </div>
  );
}

/** What the last run of the session trained. */
function LastRunModels() {
  const lastRun = useProcessorState((state) => state.job?.last_run ?? null);
  const isRunning = lastRun?.state === "running" || lastRun?.state === "paused";
  const { data: models } = useQuery({ ...runModelsQuery(lastRun?.id ?? "", isRunning), enabled: lastRun !== null });
  if (!models || models.length === 0) return null;
  return (
    <div className="mt-2 flex items-baseline gap-2 text-sm">
      <span className="text-ink-muted">Models</span>
      <MadeModels models={models} />
    </div>
  );
}

const looks = {
  Start: { icon: Play, variant: "primary" },
  Restart: { icon: RotateCw, variant: "primary" },
  "Run Node Setup": { icon: Wrench, variant: "secondary" },
  "Force Stop": { icon: Square, variant: "secondary" },
} as const;

const doing: Record<PanelAction, (actions: ProcessorActions) => Promise<unknown>> = {
  Start: (actions) => actions.create(),
  Restart: (actions) => actions.restart(),
  "Run Node Setup": (actions) => actions.runSetup(),
  "Force Stop": (actions) => actions.stop(),
};

function ActionButton({ action }: { action: PanelAction }) {
  const { actions } = useProcessor();
  const isViewOnly = useGraph((view) => view.loaded && view.viewOnly);
  const [busy, setBusy] = useState(false);
  const { icon: Icon, variant } = looks[action];
  function act(): void {
    setBusy(true);
    toastFailure(doing[action](actions).finally(() => setBusy(false)));
  }
  return (
    <Button
      size="sm"
      variant={variant}
      busy={busy}
      disabled={isViewOnly}
      title={isViewOnly ? "You can view this workflow but not run it." : undefined}
      onClick={act}
    >
      {busy ? null : <Icon className="size-3.5" aria-hidden="true" />}
      {action}
    </Button>
  );
}

function Usage({ job, isLive }: { job: JobSummary; isLive: boolean }) {
  const money = useMoney();
  const isShown = useMoneyShown();
  const network = floorTo2(job.current_net_rx_gb + job.current_net_tx_gb);
  return (
    <div className="mt-3 flex flex-col gap-2.5 border-t border-line pt-3">
      {isLive ? (
        <>
          <UsageBar
            label="CPU"
            value={`${floorTo2(job.current_cpu)} / ${floorTo2(job.cpu_capacity)} cores`}
            {...usageBarOf(job.current_cpu, job.cpu_capacity)}
          />
          <UsageBar
            label="RAM"
            value={`${floorTo2(job.current_ram_gb)} / ${floorTo2(job.ram_gb_capacity)} GB`}
            {...usageBarOf(job.current_ram_gb, job.ram_gb_capacity)}
          />
          <div className="flex justify-between gap-3 text-sm">
            <span className="text-ink-muted">Network</span>
            <span className="tabular-nums" title="Received and sent">
              {network} GB
            </span>
          </div>
        </>
      ) : null}
      {isShown ? (
        <p className="text-sm text-ink-muted" data-testid="session-cost">
          {job.total_cost === null ? messages.noCost : messages.sessionCost(money(job.total_cost))}
        </p>
      ) : null}
    </div>
  );
}

function ContainerLink({ job, projectId }: { job: JobSummary; projectId: string }) {
  const { data } = useProject(projectId);
  const settings = useSettings();
  const metadataId = data?.project.metadata_id;
  if (job.container_id === null || metadataId === undefined || !settings) return null;
  return (
    <a
      href={containerAddress(job, metadataId, settings.processor_host)}
      target="_blank"
      rel="noreferrer"
      title={`Container ${job.container_id}`}
      className="inline-flex items-center gap-1 text-xs font-medium text-accent-text hover:underline"
    >
      Container
      <ExternalLink className="size-3" aria-hidden="true" />
    </a>
  );
}
