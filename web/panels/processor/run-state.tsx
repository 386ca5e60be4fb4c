import { CircleCheck, CirclePause, CircleStop, CircleX, LoaderCircle } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Link } from "react-router";

import { runAddress } from "../../api/runs/runs.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";
import { useNow } from "../runs/use-now.ts";
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
  const runId = useProcessorState((state) => state.job?.last_run?.id);
  const now = useNow(time !== undefined && time.ended === undefined);
  // Beside a refusal, the time of the previous run would look like the refused run's.
  if (!time || refused) return null;
  const isOver = time.ended !== undefined;
  const kind = isOver ? ending : isPaused ? "paused" : "running";
  const { icon: Icon, tone, label, spins } = looks[kind];
  const seconds = Math.max(0, ((time.ended ?? now) - time.began) / 1_000);
  const look = "flex shrink-0 items-center gap-1 rounded-sm px-1 text-xs whitespace-nowrap text-ink-muted tabular-nums";
  const words = (
    <>
      <Icon className={classes("size-3.5", tone, spins ? "motion-safe:animate-spin" : null)} aria-hidden="true" />
      <span className="max-sm:sr-only">{label}</span>
      {isOver ? formatDuration(seconds) : wholeSeconds(seconds)}
    </>
  );
  const marks = { "data-testid": "run-state", "data-state": kind };
  if (runId === undefined)
    return (
      <span className={look} {...marks}>
        {words}
      </span>
    );
  return (
    <Link to={runAddress(runId)} title="Open the run" className={classes(look, "hover:underline")} {...marks}>
      {words}
    </Link>
  );
}

/** A number that changes ten times per second would distract. */
function wholeSeconds(seconds: number): string {
  return seconds < 60 ? `${Math.floor(seconds)} s` : formatDuration(seconds);
}
