import { useQuery } from "@tanstack/react-query";
import { CalendarClock } from "lucide-react";
import { useEffect, useState } from "react";

import type { SchedulePreviewBody } from "@miranda/contract/schemas/deployments/schedules.ts";

import { schedulePreviewQuery } from "../../../api/deployments/schedules.ts";
import { debounce } from "../../../limits.ts";
import { classes } from "../../../ui/classes.ts";
import { NextTimes } from "./next-times.tsx";

/** What the server says about times that are being chosen. `error`: why they cannot be. */
export function useSchedulePreview(timing: SchedulePreviewBody | undefined) {
  const given = timing && JSON.stringify(timing);
  const [asked, setAsked] = useState(given);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(given), debounce.filter);
    return () => clearTimeout(timer);
  }, [given]);
  const { data, error } = useQuery({
    ...schedulePreviewQuery(JSON.parse(asked ?? "{}") as SchedulePreviewBody),
    enabled: asked !== undefined,
  });
  const isCurrent = asked === given && given !== undefined;
  return { preview: given === undefined ? undefined : data, error: isCurrent ? error?.message : undefined, isCurrent };
}

type Preview = ReturnType<typeof useSchedulePreview>;

/** The times in a sentence, and the next five. */
export function SchedulePreview({
  preview: { preview, error, isCurrent },
  timezone,
}: {
  preview: Preview;
  timezone: string;
}) {
  return (
    <div aria-live="polite" className="flex min-h-36 gap-3 rounded-md bg-sunken p-3 sm:col-span-2">
      <CalendarClock className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      {error !== undefined || !preview ? (
        <p className="text-sm text-ink-muted">
          {error === undefined ? "Choose when it runs." : "These times cannot be used."}
        </p>
      ) : (
        <div className={classes("flex min-w-0 flex-col gap-2 transition-opacity", isCurrent ? null : "opacity-60")}>
          <p className="font-medium" data-testid="schedule-sentence">
            {preview.sentence}
          </p>
          <NextTimes times={preview.next} timezone={timezone} />
        </div>
      )}
    </div>
  );
}
