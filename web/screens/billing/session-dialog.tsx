import { useState } from "react";
import { Link } from "react-router";

import type { SpendingOfSession } from "@miranda/contract/schemas/billing/spending.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";

import { type SpendingScope, useSamples, useSessionSpending } from "../../api/billing/spending.ts";
import { Money } from "../../panels/money.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { momentText } from "./billing-words.ts";

interface SessionDialogProps {
  scope: SpendingScope;
  jobId: string;
  onClose: () => void;
}

/** What a session cost, by run, node and sample. */
export function SessionDialog({ scope, jobId, onClose }: SessionDialogProps) {
  const { data, error } = useSessionSpending(scope, jobId);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={data ? `Session of ${data.name}` : "Session"}
      description="A node has its share of a run by the time it ran. Samples are taken every two seconds and kept for 3 days."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {data ? (
        <div className="flex flex-col gap-5">
          <Totals session={data} />
          <Runs {...data} />
          {data.has_samples ? <Samples scope={scope} jobId={jobId} /> : null}
        </div>
      ) : error ? (
        <FormAlert message={error.message} />
      ) : (
        <Spinner label="Loading the session" showLabel />
      )}
    </Dialog>
  );
}

function Totals({ session: { cost, paid, between, time_started, time_ended } }: { session: SpendingOfSession }) {
  const times = [
    ["Started", time_started],
    ["Ended", time_ended],
  ] as const;
  const rows = [
    ["The session cost", cost],
    ...(paid === cost ? [] : [["You paid", paid]]),
    ...(between === null ? [] : [["While idle", between]]),
  ] as const;
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 tabular-nums">
      {times.map(([label, time]) =>
        time === null ? null : (
          <div key={label} className="contents">
            <dt className="text-ink-muted">{label}</dt>
            <dd className="text-right">{momentText(time)}</dd>
          </div>
        ),
      )}
      {rows.map(([label = "", amount = ""]) => (
        <div key={label} className="contents">
          <dt className="text-ink-muted">{label}</dt>
          <dd className="text-right">
            <Money amount={amount} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Runs({ runs, run_count, between }: Pick<SpendingOfSession, "runs" | "run_count" | "between">) {
  if (runs.length === 0)
    return (
      <p className="text-sm text-ink-muted">
        {between === null ? "Others paid for its runs." : "Nothing is known of its runs any more."}
      </p>
    );
  return (
    <>
      {run_count > runs.length ? (
        <p className="text-sm text-ink-muted">
          The newest {runs.length.toLocaleString("en")} of {run_count.toLocaleString("en")} runs.
        </p>
      ) : null}
      <ul aria-label="Runs" className="flex flex-col gap-2">
        {runs.map(({ id, number, person, seconds, cost, nodes }) => (
          <li key={id} className="rounded-md border border-line px-3 py-2">
            <div className="flex items-baseline justify-between gap-3">
              <span className="min-w-0 truncate">
                <Link to={`/designer/runs/${id}`} className="font-medium underline-offset-2 hover:underline">
                  Run {number}
                </Link>
                {person ? <span className="text-sm text-ink-muted"> by {person}</span> : null}
              </span>
              <span className="shrink-0 tabular-nums">
                {seconds === null ? null : <span className="text-ink-muted">{durationText(seconds)} · </span>}
                <Money amount={cost} />
              </span>
            </div>
            {nodes.length > 0 ? (
              <ul aria-label={`Nodes of run ${number}`} className="mt-1 text-sm text-ink-muted">
                {nodes.map((node, at) => (
                  // Two nodes may have the same name.
                  // oxlint-disable-next-line react/no-array-index-key
                  <li key={at} className="flex justify-between gap-3">
                    <span className="min-w-0 truncate">{node.name}</span>
                    <span className="shrink-0 tabular-nums">
                      {durationText(node.seconds)} · <Money amount={node.cost} />
                    </span>
                  </li>
                ))}
              </ul>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function Samples({ scope, jobId }: Pick<SessionDialogProps, "scope" | "jobId">) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useSamples(scope, jobId, isOpen);
  const samples = data?.pages.flatMap((page) => page.samples) ?? [];
  if (!isOpen)
    return (
      <Button size="sm" className="self-start" onClick={() => setOpen(true)}>
        Show samples
      </Button>
    );
  return (
    <div className="flex flex-col gap-2">
      <FormAlert message={error?.message} />
      <div className="overflow-x-auto">
        <table className="w-full text-xs tabular-nums sm:text-sm">
          <caption className="sr-only">Samples</caption>
          <thead>
            <tr className="text-left text-ink-muted">
              {["Sample", "Run", "Seconds", "CPU seconds", "RAM in GB", "Cost"].map((name) => (
                <th
                  key={name}
                  scope="col"
                  className="py-1 pr-2 align-bottom font-medium last:pr-0 last:text-right sm:pr-3"
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {samples.map(({ number, run, seconds, cpu_seconds, ram_gb, cost }) => (
              <tr key={number} className="border-t border-line">
                <td className="py-1 pr-2 sm:pr-3">{number}</td>
                <td className="py-1 pr-2 sm:pr-3">{run ?? "–"}</td>
                <td className="py-1 pr-2 sm:pr-3">{seconds.toFixed(2)}</td>
                <td className="py-1 pr-2 sm:pr-3">{cpu_seconds.toFixed(2)}</td>
                <td className="py-1 pr-2 sm:pr-3">{ram_gb.toFixed(3)}</td>
                <td className="py-1 text-right">
                  <Money amount={cost} digits="all" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasNextPage ? (
        <Button size="sm" className="self-start" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </div>
  );
}
