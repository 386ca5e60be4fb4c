import { Link } from "react-router";

import type { CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";

import { RelativeTime } from "../../../shell/relative-time.tsx";
import type { AppPage } from "../app/app-page.ts";
import { CallMark } from "./call-mark.tsx";
import { callTitle, inputWords } from "./call-words.ts";

/** A call in a list: how it went, when, and what was entered. */
export function CallRow({ call, page: { app, addressOf } }: { call: CallSummary; page: AppPage }) {
  const inputs = inputWords(app.fields, call.inputs);
  return (
    <Link
      to={addressOf(`runs/${call.id}`)}
      data-testid="call-row"
      data-state={call.state}
      className="flex min-w-0 items-center gap-3 rounded-md px-3 py-2.5 transition-colors -outline-offset-2 hover:bg-hover"
    >
      <CallMark state={call.state} className="size-7" />
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-baseline justify-between gap-3">
          <span className="truncate font-medium">{callTitle(call.state)}</span>
          <span className="shrink-0 text-xs text-ink-faint tabular-nums">
            <RelativeTime time={call.time_called} />
          </span>
        </span>
        <span dir="auto" className="block truncate text-sm text-ink-muted" title={inputs}>
          {inputs === "" ? "Nothing was entered" : inputs}
        </span>
      </span>
    </Link>
  );
}
