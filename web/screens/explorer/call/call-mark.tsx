import { Check, CircleSlash, Hourglass, TriangleAlert } from "lucide-react";

import type { CallState } from "@miranda/contract/schemas/deployments/calls.ts";

import { classes } from "../../../ui/classes.ts";
import { SpinnerIcon } from "../../../ui/layout/spinner.tsx";
import { type CallLook, lookOf } from "./call-words.ts";

const looks: Readonly<Record<CallLook, string>> = {
  waiting: "bg-sunken text-ink-muted",
  running: "bg-info-soft text-info-text",
  done: "bg-success-soft text-success-text",
  failed: "bg-danger-soft text-danger-text",
  stopped: "bg-sunken text-ink-muted",
};

/** The state of a call as a sign. Words beside it say the same. */
export function CallMark({ state, className = "size-9" }: { state: CallState; className?: string }) {
  const look = lookOf(state);
  return (
    <span
      aria-hidden="true"
      className={classes("grid shrink-0 place-items-center rounded-full", looks[look], className)}
    >
      <Sign look={look} />
    </span>
  );
}

function Sign({ look }: { look: CallLook }) {
  switch (look) {
    case "waiting":
      return <Hourglass className="size-1/2" />;
    case "running":
      return <SpinnerIcon className="size-1/2" />;
    case "done":
      return <Check className="size-1/2" strokeWidth={2.5} />;
    case "failed":
      return <TriangleAlert className="size-1/2" />;
    case "stopped":
      return <CircleSlash className="size-1/2" />;
  }
}
