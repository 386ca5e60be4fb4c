import { Hourglass } from "lucide-react";
import { useState } from "react";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { keepJob } from "../../api/jobs/jobs.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { useMinutesUntil } from "./use-minutes-until.ts";

interface IdleNoticeProps {
  job: Pick<JobSummary, "id" | "ends_at">;
  /** Readers cannot keep it. */
  mayKeep: boolean;
  onKept: (job: JobSummary) => void;
  className?: string;
}

/** Warns that an idle session ends soon, and lets people keep it. */
export function IdleNotice({ job, mayKeep, onKept, className }: IdleNoticeProps) {
  const [busy, setBusy] = useState(false);
  const minutes = useMinutesUntil(job.ends_at);
  if (minutes === undefined) return null;
  function keep(): void {
    setBusy(true);
    toastFailure(
      keepJob(job.id)
        .then(onKept)
        .finally(() => setBusy(false)),
    );
  }
  return (
    <div
      data-testid="idle-notice"
      className={classes(
        "flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md bg-warning-soft px-2.5 py-2 text-sm text-warning-text",
        className,
      )}
    >
      <output className="flex min-w-0 flex-1 basis-40 items-start gap-2">
        <Hourglass className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
        {endWords(minutes)}
      </output>
      {mayKeep ? (
        <Button size="sm" busy={busy} onClick={keep}>
          Keep it running
        </Button>
      ) : null}
    </div>
  );
}

function endWords(minutes: number): string {
  const when = minutes <= 1 ? "in a minute" : `in ${minutes} minutes`;
  return `Not in use. It ends ${when}.`;
}
