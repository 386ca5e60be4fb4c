import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { queuePlaceQuery } from "../../api/jobs/jobs.ts";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";

/** Why the session has not started, and the way out of the queue. */
export function QueueNotice({ job, mayLeave }: { job: Pick<JobSummary, "id">; mayLeave: boolean }) {
  const { actions } = useProcessor();
  const [busy, setBusy] = useState(false);
  const { data: place } = useQuery(queuePlaceQuery(job.id));
  if (!place) return null;
  return (
    <div data-testid="queue-notice" className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm">
      <output className="min-w-0 flex-1 basis-40 text-ink-muted">
        {place.position === null ? null : (
          <b className="font-medium text-ink">Number {place.position} in the queue. </b>
        )}
        {place.reason}
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
