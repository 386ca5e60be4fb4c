import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { CallSteps } from "../../../panels/app-outputs/call-steps.tsx";
import { durationText, runningDurationText } from "@miranda/contract/words/duration-text.ts";
import { useNow } from "../../../panels/runs/use-now.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { CallMark } from "./call-mark.tsx";
import { callTitle, lookOf, positionWords } from "./call-words.ts";

/** How far a call is, or how it ended. */
export function CallStatus({ call }: { call: Call }) {
  const isAlive = call.time_ended === null;
  const hasFailedStep = call.steps.some(({ state }) => state === "failed");
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex min-w-0 items-start gap-3">
        <CallMark state={call.state} />
        <div className="min-w-0">
          <h2 aria-live="polite" data-testid="call-state" className="text-lg font-semibold">
            {callTitle(call.state)}
          </h2>
          <p className="text-sm text-ink-muted tabular-nums">
            {lookOf(call.state) === "waiting" ? positionWords(call.position) : <Times call={call} />}
          </p>
        </div>
      </div>
      {call.reason === "" ? null : (
        <p dir="auto" data-testid="call-reason" className="max-w-prose break-words whitespace-pre-wrap">
          {call.reason}
        </p>
      )}
      {isAlive || hasFailedStep ? <CallSteps steps={call.steps} /> : null}
      {isAlive ? <p className="text-sm text-ink-faint">You can close this page. Nothing is lost.</p> : null}
    </div>
  );
}

function Times({ call }: { call: Call }) {
  const now = useNow(call.time_ended === null);
  if (call.time_began === null) return <RelativeTime time={call.time_ended ?? call.time_called} />;
  if (call.time_ended === null || call.seconds === null)
    return runningDurationText((now - Date.parse(call.time_began)) / 1_000);
  return (
    <>
      {`${durationText(call.seconds)} · `}
      <RelativeTime time={call.time_ended} />
    </>
  );
}
