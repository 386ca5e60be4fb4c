import { Clock } from "lucide-react";

import type { CallState } from "@miranda/contract/schemas/deployments/calls.ts";

import { RunBadge } from "../../../panels/runs/run-mark.tsx";
import { Badge } from "../../../ui/badge.tsx";

/** The state of a call. While it waits there is no run. */
export function CallBadge({ state }: { state: CallState }) {
  if (state !== "queued") return <RunBadge state={state} />;
  return (
    <Badge className="pl-1.5">
      <Clock className="size-3.5" aria-hidden="true" />
      Waiting
    </Badge>
  );
}
