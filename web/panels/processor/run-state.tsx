import { CircleCheck, CirclePause, CircleStop, CircleX, LoaderCircle, PackagePlus } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { Link } from "react-router";

import type { Run } from "@miranda/contract/schemas/runs.ts";
import { durationText, runningDurationText } from "@miranda/contract/words/duration-text.ts";

import { runAddress } from "../../api/runs/runs.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import type { RunTime } from "../../providers/processor/runs/run-clock.ts";
import { classes } from "../../ui/classes.ts";
import { Money, MoneyShown } from "../money.tsx";
import { partsWords } from "../runs/run-words.ts";
import { useNow } from "../runs/use-now.ts";
import { useLastRun } from "./use-last-run.ts";

const looks = {
  running: { icon: LoaderCircle, tone: "text-info-text", label: "Running", spins: true },
  installing: { icon: PackagePlus, tone: "text-info-text", label: "Installing", spins: false },
  paused: { icon: CirclePause, tone: "text-warning-text", label: "Paused", spins: false },
  failed: { icon: CircleX, tone: "text-danger-text", label: "Failed after", spins: false },
  interrupted: { icon: CircleStop, tone: "text-ink-muted", label: "Interrupted after", spins: false },
  done: { icon: CircleCheck, tone: "text-success-text", label: "Ran in", spins: false },
} as const;

const endings: Record<Run["state"], keyof typeof looks> = {
  running: "running",
  paused: "paused",
  done: "done",
  failed: "failed",
  crashed: "failed",
  stopped: "interrupted",
  lost: "interrupted",
};

/** Whether the workflow runs and for how long, or how its last run ended, how long it took and what it cost. */
export function RunState() {
  const { clock, refusal } = useProcessor();
  const refused = useSyncExternalStore(refusal.watch, refusal.get);
  const time = useSyncExternalStore(clock.watch, clock.get);
  const isPaused = useProcessorState((state) => state.shown === "RESUMEREADY");
  const isInstalling = useProcessorState((state) => state.shown === "RUNNING" && Boolean(state.job?.installing));
  const last = useLastRun();
  // The clock of this browser counts what goes on. How long it took is for the server to say.
  const isLive = time !== undefined && (time.ended === undefined || last?.time_ended === null);
  const now = useNow(isLive);
  // Beside a refusal, the time of the previous run would look like the refused run's.
  if (refused) return null;
  if (isLive) {
    const kind = isPaused ? "paused" : isInstalling ? "installing" : "running";
    return <Shown kind={kind} runId={last?.time_ended === null ? last.id : undefined} words={wordsSoFar(time, now)} />;
  }
  if (!last || last.time_ended === null) return null;
  return (
    <Shown kind={endings[last.state]} runId={last.id} words={durationText(last.times.took)} parts={partsWords(last)}>
      <MoneyShown>
        <span className="max-sm:sr-only">
          · <Money amount={last.cost} />
        </span>
      </MoneyShown>
    </Shown>
  );
}

function wordsSoFar({ began, ended }: RunTime, now: number): string {
  return runningDurationText(((ended ?? now) - began) / 1_000);
}

interface ShownProps {
  kind: keyof typeof looks;
  runId: string | undefined;
  words: string;
  /** How long it waited, installed and ran. */
  parts?: string;
  children?: ReactNode;
}

function Shown({ kind, runId, words, parts = "", children }: ShownProps) {
  const { icon: Icon, tone, label, spins } = looks[kind];
  const look = "flex shrink-0 items-center gap-1 rounded-sm px-1 text-xs whitespace-nowrap text-ink-muted tabular-nums";
  const marks = { "data-testid": "run-state", "data-state": kind === "installing" ? "running" : kind };
  const content = (
    <>
      <Icon className={classes("size-3.5", tone, spins ? "motion-safe:animate-spin" : null)} aria-hidden="true" />
      <span className="max-sm:sr-only">{label}</span> {words} {children}
    </>
  );
  if (runId === undefined)
    return (
      <span className={look} {...marks}>
        {content}
      </span>
    );
  return (
    <Link
      to={runAddress(runId)}
      title={["Open the run.", parts].filter(Boolean).join(" ")}
      className={classes(look, "hover:underline")}
      {...marks}
    >
      {content}
    </Link>
  );
}
