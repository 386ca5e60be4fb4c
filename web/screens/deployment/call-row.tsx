import { Wrench } from "lucide-react";
import { memo } from "react";
import { Link } from "react-router";

import type { CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";

import { appAddress } from "../../api/apps/apps.ts";
import { callAddress } from "../../api/deployments/calls.ts";
import { runAddress } from "../../api/runs/runs.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { Money, MoneyShown } from "../../panels/money.tsx";
import { LookIcon } from "../../panels/runs/run-mark.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { callerWords, callLooks, inputWords, viaWords } from "./call-words.ts";

interface CallRowProps {
  call: CallSummary;
  projectId: string;
  graphId: string;
  /** Whether the person may open it in the Designer and change the workflow. */
  mayFix: boolean;
}

/** One call in the list. The row leads to its run; a failed one leads to the Designer too. */
export const CallRow = memo(function CallRow({ call, projectId, graphId, mayFix }: CallRowProps) {
  const look = callLooks[call.state];
  const isBad = call.state === "failed" || call.state === "crashed" || call.state === "lost";
  const given = inputWords(call.inputs);
  return (
    <div
      data-testid="call"
      data-id={call.id}
      data-state={call.state}
      className="relative flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 text-sm hover:bg-hover"
    >
      <span className="flex w-24 shrink-0 items-center gap-2 font-medium">
        <LookIcon look={look} />
        {look.word}
      </span>
      <span className="min-w-0 flex-1 basis-56">
        <Link
          // A call that waits is no run yet.
          to={call.time_began === null ? appAddress(call.app.name, `runs/${call.id}`) : runAddress(call.id)}
          dir="auto"
          className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-(--ring)"
        >
          {given === "" ? "No inputs" : given}
        </Link>
        <span dir="auto" className="block truncate text-xs text-ink-muted">
          {[callerWords(call), viaWords[call.via], oneLine(call.reason)].filter(Boolean).join(" · ")}
        </span>
      </span>
      <span className="w-28 text-ink-muted max-sm:w-auto">
        Release {call.app.release}
        {call.app.channel === "staging" ? ", staging" : ""}
      </span>
      <span className="w-24 text-ink-muted max-sm:w-auto">
        <RelativeTime time={call.time_called} />
      </span>
      <span className="w-16 text-right tabular-nums max-sm:w-auto">{tookWords(call)}</span>
      <span className="w-24 text-right whitespace-nowrap text-ink-muted tabular-nums max-sm:w-auto">
        {call.cost === undefined ? null : (
          <MoneyShown>
            <Money amount={call.cost} />
          </MoneyShown>
        )}
      </span>
      <span className="relative z-1 w-36 text-right max-sm:w-auto max-lg:empty:hidden">
        {mayFix && isBad ? (
          <Link to={callAddress(projectId, graphId, call.id)} className={buttonClasses({ size: "sm" })}>
            <Wrench className="size-3.5" aria-hidden="true" />
            Open in Designer
          </Link>
        ) : null}
      </span>
    </div>
  );
});

function tookWords({ time_began, seconds, position }: CallSummary): string {
  if (time_began === null) return position === null ? "" : `${position} ahead`;
  return seconds === null ? "" : durationText(seconds);
}
