import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useNavigate, useParams } from "react-router";

import { callQuery } from "../../../api/apps/calls.ts";
import { CallView } from "../call/call-view.tsx";
import { useAppPage } from "./app-page.ts";
import { RecentCalls } from "./recent-calls.tsx";
import { RunForm } from "./run-form.tsx";

/** The form, and beside it one call or the latest ones. On a phone the result comes first. */
export function RunScreen() {
  const page = useAppPage();
  const { callId } = useParams();
  const navigate = useNavigate();
  const top = useRef<HTMLDivElement>(null);
  const { data: call, isError } = useQuery({
    ...callQuery(page.door, callId ?? ""),
    enabled: callId !== undefined,
  });
  const shown = callId === undefined ? undefined : call;
  // Until the call is here, a form with the defaults would look like its inputs.
  const isReady = callId === undefined || shown !== undefined || isError;
  return (
    <div ref={top} className="grid min-w-0 scroll-mt-16 items-start gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <div className={callId === undefined ? "min-w-0" : "min-w-0 max-lg:order-last"}>
        {isReady ? (
          <RunForm
            key={shown?.id ?? "new"}
            page={page}
            earlier={shown}
            onMade={({ id }) => {
              void navigate(page.addressOf(`runs/${id}`));
              top.current?.scrollIntoView({ block: "start" });
            }}
          />
        ) : null}
      </div>
      <div className="min-w-0">
        {callId === undefined ? <RecentCalls page={page} /> : <CallView key={callId} page={page} callId={callId} />}
      </div>
    </div>
  );
}
