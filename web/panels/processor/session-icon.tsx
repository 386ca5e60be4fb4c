import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleX,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  Rocket,
  RotateCw,
} from "lucide-react";

import { stateIcons, type WorkflowState } from "@miranda/contract/processor.ts";

import { classes } from "../../ui/classes.ts";

// Each state has its own shape, because some people cannot tell the colours apart.
const shapes: Record<WorkflowState, LucideIcon> = {
  UNINITIALIZED: CircleDashed,
  QUEUED: Hourglass,
  STARTING: Rocket,
  READY: CircleDot,
  RUNNING: LoaderCircle,
  RESUMEREADY: CirclePause,
  KILLING: Ban,
  RESTARTING: RotateCw,
  ERROR: CircleX,
  EXITED: CircleCheck,
};

const colours = {
  grey: "text-ink-faint",
  yellow: "text-warning",
  green: "text-success",
  blue: "text-info",
  red: "text-danger",
} as const;

export function SessionIcon({ state, className }: { state: WorkflowState; className?: string }) {
  const { text, colour, pulse } = stateIcons[state];
  const Shape = shapes[state];
  return (
    <span
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is a drawing, not a file
      role="img"
      aria-label={text}
      title={text}
      data-testid="session-icon"
      data-state={state}
      data-colour={colour}
      className={classes("inline-flex shrink-0", colours[colour], pulse ? "animate-pulse" : null, className)}
    >
      <Shape className="size-4" aria-hidden="true" />
    </span>
  );
}
