import { Card } from "../../../ui/layout/card.tsx";

const calls: readonly { method: string; path: string; words: string }[] = [
  {
    method: "POST",
    path: "/runs",
    words:
      "Starts a run and answers 202 with it. With ?wait=60, answers when the run has ended, or after 60 seconds. " +
      "Send JSON, or a form when there are files. " +
      "With the header Idempotency-Key, the same request sent twice starts one run.",
  },
  {
    method: "GET",
    path: "/runs",
    words:
      "Your runs, newest first. Choose some with ?state=alive, done or bad. For the next page, send next as ?after=.",
  },
  { method: "GET", path: "/runs/{id}", words: "One run: its state, its steps, its outputs and its result." },
  {
    method: "GET",
    path: "/runs/{id}/events",
    words:
      "Follows a run as server-sent events: call, output, log and end. Send Last-Event-ID to continue after that event.",
  },
  { method: "POST", path: "/runs/{id}/cancel", words: "Cancels a run." },
  { method: "GET", path: "/runs/{id}/files/{number}", words: "An output as a file. With ?format=csv, a table as CSV." },
  { method: "POST", path: "/runs/{id}/share", words: "Shares the result by a link. DELETE stops sharing it." },
];

const refusals: readonly [status: number, words: string][] = [
  [400, "Some fields are wrong. Every problem has a line of its own."],
  [401, "The token is missing, unknown or revoked."],
  [402, "The account that pays has no credits left."],
  [404, "There is no such app or run, or you may not see it."],
  [409, "The Idempotency-Key was used with another body, or the app is not available now."],
  [413, "The body or a file is too large."],
  [429, "Too many requests. Retry-After says how many seconds to wait."],
];

export function ApiReference({ name }: { name: string }) {
  return (
    <div className="grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Card className="min-w-0 divide-y divide-line">
        <p className="px-4 py-3 text-sm wrap-anywhere text-ink-muted sm:px-5">
          All addresses begin with{" "}
          <code className="font-mono text-ink">{`${location.origin}/api/v3/deployments/${name}`}</code>
        </p>
        {calls.map(({ method, path, words }) => (
          <div key={`${method} ${path}`} className="px-4 py-3 sm:px-5">
            <p className="font-mono text-sm font-semibold wrap-anywhere">{`${method} ${path}`}</p>
            <p className="mt-1 text-sm text-ink-muted">{words}</p>
          </div>
        ))}
      </Card>
      <Card className="min-w-0 p-4 sm:p-5">
        <h3 className="mb-1 font-medium">Errors</h3>
        <p className="mb-3 text-sm text-ink-muted">
          The body is plain text that people can read. The header <code className="font-mono">x-miranda-error</code> has
          a code for programs.
        </p>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
          {refusals.map(([status, words]) => (
            <div key={status} className="contents">
              <dt className="font-mono font-semibold">{status}</dt>
              <dd className="text-ink-muted">{words}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  );
}
