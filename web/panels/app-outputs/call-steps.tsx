import { Check, Circle, CircleSlash, TriangleAlert } from "lucide-react";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { classes } from "../../ui/classes.ts";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { BarLine, formatProgress } from "../../ui/progress-bar.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

type Step = Call["steps"][number];

const states: Readonly<Record<Step["state"], string>> = {
  waiting: "Not yet",
  running: "In progress",
  done: "Done",
  failed: "Failed",
  stopped: "Stopped",
};

/** The steps of a call in the owner's words, with their progress. */
export function CallSteps({ steps }: { steps: readonly Step[] }) {
  if (steps.length === 0) return null;
  return (
    <ol className="flex min-w-0 flex-col gap-3" data-testid="call-steps" aria-label="Steps">
      {steps.map((step, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- two steps may have the same words
        <li key={at} className="flex min-w-0 gap-3" data-state={step.state}>
          <span className="grid size-5 shrink-0 place-items-center">
            <StepMark state={step.state} />
          </span>
          <div className="min-w-0 flex-1">
            <p
              dir="auto"
              className={classes(
                "wrap-anywhere",
                step.state === "waiting" ? "text-ink-faint" : step.state === "running" ? "font-medium" : null,
              )}
            >
              {step.label}
              <span className="sr-only">{`: ${states[step.state]}`}</span>
            </p>
            {step.state === "running" && step.progress ? (
              <div className="mt-1.5 flex flex-col gap-1">
                <BarLine bar={step.progress} className="h-1.5 rounded-full" />
                <p className="flex justify-between gap-3 text-xs text-ink-muted tabular-nums">
                  <span className="truncate">{oneLine(step.progress.label)}</span>
                  <span className="shrink-0">{formatProgress(step.progress)}</span>
                </p>
              </div>
            ) : null}
          </div>
        </li>
      ))}
    </ol>
  );
}

function StepMark({ state }: { state: Step["state"] }) {
  switch (state) {
    case "waiting":
      return <Circle className="size-4 text-line-strong" aria-hidden="true" />;
    case "running":
      return <SpinnerIcon className="size-4 text-info-text" />;
    case "done":
      return <Check className="size-4 text-success-text" strokeWidth={2.5} aria-hidden="true" />;
    case "failed":
      return <TriangleAlert className="size-4 text-danger-text" aria-hidden="true" />;
    case "stopped":
      return <CircleSlash className="size-4 text-ink-faint" aria-hidden="true" />;
  }
}
