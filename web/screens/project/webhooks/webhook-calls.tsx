import { durationText } from "@miranda/contract/words/duration-text.ts";
import type { WebhookCall } from "@miranda/contract/schemas/news/webhooks.ts";

import { useWebhookCalls } from "../../../api/news/webhooks.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { drawableText } from "../../../ui/text/drawable-text.ts";

const eventWords: Record<string, string> = {
  run_ended: "Run ended",
  run_failed: "Run failed",
  budget_reached: "Limit reached",
  model_version: "New version of a model",
  model_alias: "Alias moved",
  test: "Test",
};

/** What a webhook was told last, and how it answered. */
export function WebhookCalls({ projectId, webhookId }: { projectId: string; webhookId: string }) {
  const { data: calls, error } = useWebhookCalls(projectId, webhookId);
  if (!calls) return error ? <FormAlert message={error.message} /> : <Spinner label="Loading the calls" showLabel />;
  if (calls.length === 0) return <p className="text-sm text-ink-muted">It was not called yet.</p>;
  return (
    <ul aria-label="Last calls" className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto">
      {calls.map((call) => (
        <li key={call.id} className="py-1">
          <Call call={call} />
        </li>
      ))}
    </ul>
  );
}

function Call({ call }: { call: WebhookCall }) {
  return (
    <details className="group">
      <summary className="flex cursor-default flex-wrap items-center gap-x-3 gap-y-1 rounded-sm py-1 text-sm hover:bg-hover">
        <span className="flex-1 basis-28 font-medium">{eventWords[call.event] ?? call.event}</span>
        <span className="text-ink-muted">
          <RelativeTime time={call.time_answered ?? call.time_created} />
        </span>
        <Badge tone={call.state === "arrived" ? "success" : call.state === "waiting" ? "warning" : "danger"}>
          {outcomeOf(call)}
        </Badge>
      </summary>
      <div className="flex flex-col gap-2 pt-1 pb-3 text-sm text-ink-muted">
        <p>{factsOf(call)}</p>
        {call.answer ? (
          <pre className="max-h-40 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap text-ink">
            {drawableText(call.answer)}
          </pre>
        ) : null}
      </div>
    </details>
  );
}

function outcomeOf({ state, status, tries }: WebhookCall): string {
  if (status !== null) return String(status);
  return state === "waiting" && tries === 0 ? "Waiting" : "No answer";
}

function factsOf({ tries, seconds, state, time_next }: WebhookCall): string {
  const tried = tries === 1 ? "Tried once" : `Tried ${tries} times`;
  const took = seconds === null ? "" : `, ${tries === 1 ? "" : "the last time "}for ${durationText(seconds)}`;
  const next = time_next === null ? "" : ` Next at ${new Date(time_next).toLocaleTimeString()}.`;
  return `${tried}${took}.${next}${state === "given_up" ? " Not tried again." : ""}`;
}
