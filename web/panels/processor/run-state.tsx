import { CircleCheck, CirclePause, CircleStop, CircleX, LoaderCircle } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";

import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";
import { formatDuration } from "./run-format.ts";

const looks = {
  running: { icon: LoaderCircle, tone: "text-info-text", label: "Running", spins: true },
  paused: { icon: CirclePause, tone: "text-warning-text", label: "Paused", spins: false },
  failed: { icon: CircleX, tone: "text-danger-text", label: "Failed after", spins: false },
  interrupted: { icon: CircleStop, tone: "text-ink-muted", label: "Interrupted after", spins: false },
  done: { icon: CircleCheck, tone: "text-success-text", label: "Ran in", spins: false },
} as const;

/** Whether the workflow runs and for how long, or how its last run ended. */
export function RunState() {
  const { clock, runs, refusal } = useProcessor();
  const refused = useSyncExternalStore(refusal.watch, refusal.get);
  const time = useSyncExternalStore(clock.watch, clock.get);
  const ending = useSyncExternalStore(runs.watch, runs.ending);
  const isPaused = useProcessorState((state) => state.shown === "RESUMEREADY");
  const now = useNow(time !== undefined && time.ended === undefined);
  // Beside a refusal, the time of the previous run would look like the refused run's.
  if (!time || refused) return null;
  const isOver = time.ended !== undefined;
  const kind = isOver ? ending : isPaused ? "paused" : "running";
  const { icon: Icon, tone, label, spins } = looks[kind];
  const seconds = Math.max(0, ((time.ended ?? now) - time.began) / 1_000);
  return (
    <span
      className="flex shrink-0 items-center gap-1 px-1 text-xs whitespace-nowrap text-ink-muted tabular-nums"
      data-testid="run-state"
      data-state={kind}
    >
      <Icon className={classes("size-3.5", tone, spins ? "motion-safe:animate-spin" : null)} aria-hidden="true" />
      <span className="max-sm:sr-only">{label}</span>
      {isOver ? formatDuration(seconds) : wholeSeconds(seconds)}
    </span>
  );
}

/** A number that changes ten times per second would distract. */
function wholeSeconds(seconds: number): string {
  return seconds < 60 ? `${Math.floor(seconds)} s` : formatDuration(seconds);
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}
