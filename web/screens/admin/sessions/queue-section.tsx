import { useState } from "react";

import type { WaitingSession } from "@miranda/contract/schemas/admin/sessions.ts";

import { useRunningActions, useWaitingSessions } from "../../../api/admin/running.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { ProjectName } from "./project-name.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

/** The sessions that wait to start, in their order, and why they wait. */
export function QueueSection() {
  const { data, error } = useWaitingSessions();
  const [chosen, setChosen] = useState<WaitingSession | null>(null);
  const { removeFromQueue } = useRunningActions();
  return (
    <section className="flex flex-col gap-3" aria-labelledby="queue">
      <div>
        <h2 id="queue" className="text-lg font-semibold">
          Queue
        </h2>
        <p className="text-sm text-ink-muted">
          {data === undefined
            ? (error?.message ?? "Loading the queue")
            : data.all === 0
              ? "Nobody waits."
              : "Sessions start in this order. People with fewer running sessions go first."}
        </p>
      </div>
      {data && data.waiting.length > 0 ? (
        <Card className="overflow-hidden">
          <ol aria-label="Queue" className="divide-y divide-line">
            {data.waiting.map((one) => (
              <li key={one.id} className="flex items-center gap-4 px-5 py-3">
                <span className="w-6 shrink-0 text-center font-semibold text-ink-muted tabular-nums">
                  {one.position ?? "–"}
                </span>
                <div className="min-w-0 grow">
                  <div className="truncate font-medium">{one.workflow}</div>
                  <div className="truncate text-sm text-ink-muted">
                    <ProjectName project={one.project} /> · {one.person} · queued{" "}
                    <RelativeTime time={one.time_created} />
                  </div>
                  <div className="text-sm text-ink-muted">{one.reason}</div>
                </div>
                <Button
                  size="sm"
                  aria-label={`Remove ${one.workflow} of ${one.person} from queue`}
                  onClick={() => setChosen(one)}
                >
                  Remove from queue
                </Button>
              </li>
            ))}
          </ol>
          {data.all > data.waiting.length ? (
            <p className="border-t border-line bg-sunken px-5 py-3 text-sm text-ink-muted">
              {data.all - data.waiting.length} more wait after them.
            </p>
          ) : null}
        </Card>
      ) : null}
      {chosen === null ? null : (
        <ReasonDialog
          title={`Remove ${chosen.workflow} from the queue`}
          text={`It will not start. ${chosen.person} is told why.`}
          action="Remove from queue"
          onConfirm={async (reason) => {
            await removeFromQueue(chosen.id, reason);
            toast.success("Removed from the queue.");
          }}
          onClose={() => setChosen(null)}
        />
      )}
    </section>
  );
}
