import type { RunState } from "@miranda/contract/schemas/runs.ts";

import { Badge } from "../../ui/badge.tsx";
import { classes } from "../../ui/classes.ts";
import { type Look, nodeLooks, type NodeState, runLooks } from "./run-looks.ts";

const tones: Readonly<Record<Look["tone"], string>> = {
  neutral: "text-ink-faint",
  success: "text-success-text",
  warning: "text-warning-text",
  danger: "text-danger-text",
  info: "text-info-text",
};

/** The shape of a state. The word stands beside it, or is read out. */
export function LookIcon({
  look,
  withWord = false,
  className,
}: {
  look: Look;
  withWord?: boolean;
  className?: string;
}) {
  const Icon = look.icon;
  return (
    <>
      <Icon
        className={classes(
          "size-4 shrink-0",
          tones[look.tone],
          look.spins ? "motion-safe:animate-spin" : null,
          className,
        )}
        aria-hidden="true"
      />
      {withWord ? <span className="sr-only">{look.word}</span> : null}
    </>
  );
}

export function RunBadge({ state }: { state: RunState }) {
  const look = runLooks[state];
  return (
    <Badge tone={look.tone} className="pl-1.5">
      <LookIcon look={look} className="size-3.5" />
      <span data-testid="run-state-word">{look.word}</span>
    </Badge>
  );
}

export function NodeBadge({ state }: { state: NodeState }) {
  const look = nodeLooks[state];
  return (
    <Badge tone={look.tone} className="pl-1.5">
      <LookIcon look={look} className="size-3.5" />
      {look.word}
    </Badge>
  );
}
