import { Download } from "lucide-react";
import { lazy, Suspense, useState } from "react";

import { getCredits } from "@miranda/contract/billing/credits.ts";
import type { LedgerEntry, LedgerPage } from "@miranda/contract/schemas/billing/spending.ts";

import { csvAddress, type SpendingFilters, type SpendingScope, useLedger } from "../../api/billing/spending.ts";
import { Money } from "../../panels/money.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { dayText, entryDetail, entryTitle, projectTotals } from "./billing-words.ts";
import type { ChosenPart } from "./chosen-parts.ts";
import { choiceFilters, ledgerChoices } from "./ledger-choices.ts";

const SessionDialog = lazy(() => import("./session-dialog.tsx").then((m) => ({ default: m.SessionDialog })));

interface LedgerListProps {
  scope: SpendingScope;
  /** What the chart shows too. The ledger has a filter of its own besides. */
  filters: SpendingFilters;
  chosen: readonly ChosenPart[];
}

/** Every change of the balance, newest first. */
export function LedgerList({ scope, filters: shared, chosen: parts }: LedgerListProps) {
  const isProject = scope !== undefined;
  const [chosen, setChosen] = useState("");
  const choices = ledgerChoices(shared.source, isProject);
  const choice = choices.find(({ value }) => value === chosen)?.value ?? "";
  const filters = { ...shared, ...choiceFilters(choice, shared.source) };
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = useLedger(
    scope,
    filters,
  );
  const [session, setSession] = useState<string | null>(null);
  const entries = data?.pages.flatMap((page) => page.entries);
  const first = data?.pages[0];
  return (
    <section className="flex flex-col gap-3" aria-labelledby="ledger">
      <div className="flex flex-wrap items-center gap-3">
        <div className="mr-auto flex min-w-0 flex-wrap items-baseline gap-x-3">
          <h2 id="ledger" className="text-lg font-semibold">
            Ledger
          </h2>
          {parts.length === 0 ? null : (
            <span className="line-clamp-2 text-sm text-ink-muted">
              {parts.map(({ name }) => `Only ${oneLine(name)}`).join(" · ")}
            </span>
          )}
        </div>
        <PlainSelect label="Entries" value={choice} onChange={setChosen}>
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </PlainSelect>
        <a href={csvAddress(scope, filters)} download="ledger.csv" className={buttonClasses()}>
          <Download className="size-4" aria-hidden="true" />
          CSV
        </a>
      </div>
      {error && !data ? (
        <LoadFailure
          title="The ledger could not be loaded"
          message={error.message}
          onRetry={() => void refetch()}
          busy={isFetching}
        />
      ) : entries === undefined ? (
        <Spinner label="Loading the ledger" showLabel />
      ) : (
        <Card className="overflow-hidden">
          {entries.length === 0 ? (
            <p className="p-5 text-ink-muted">Nothing in these days.</p>
          ) : (
            <ul aria-label="Ledger" className="divide-y divide-line">
              {entries.map((entry) => (
                <Entry key={entry.key} entry={entry} isProject={isProject} onOpen={setSession} />
              ))}
            </ul>
          )}
          {entries.length > 0 && first ? (
            <div className="flex items-center justify-between gap-3 border-t border-line bg-sunken px-5 py-3 text-sm">
              {hasNextPage ? (
                <Button size="sm" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  Show more
                </Button>
              ) : (
                <span className="text-ink-muted">All entries of these days</span>
              )}
              <Totals first={first} isProject={isProject} />
            </div>
          ) : null}
        </Card>
      )}
      {session === null ? null : (
        <Suspense>
          <SessionDialog scope={scope} jobId={session} onClose={() => setSession(null)} />
        </Suspense>
      )}
    </section>
  );
}

function Totals({ first: { sum, totals }, isProject }: { first: LedgerPage; isProject: boolean }) {
  return (
    <span className="flex flex-wrap justify-end gap-x-5 gap-y-1 font-medium tabular-nums">
      {(isProject ? projectTotals(totals) : [{ name: "Sum", amount: sum }]).map(({ name, amount }) => (
        <span key={name} className="whitespace-nowrap">
          {name} <Money amount={amount} />
        </span>
      ))}
    </span>
  );
}

interface EntryProps {
  entry: LedgerEntry;
  isProject: boolean;
  onOpen: (sessionId: string) => void;
}

function Entry({ entry, isProject, onOpen }: EntryProps) {
  const { session_id: sessionId, kind, amount, day } = entry;
  const title = entryTitle(entry, isProject);
  return (
    <li className="flex items-baseline gap-4 px-5 py-2.5">
      <span className="w-36 shrink-0 text-sm whitespace-nowrap text-ink-muted tabular-nums max-sm:hidden">
        {dayText(day)}
      </span>
      <span className="min-w-0 grow">
        {kind === "usage" && sessionId !== null ? (
          <button
            type="button"
            className="block max-w-full truncate rounded-sm text-left font-medium underline-offset-2 hover:underline"
            onClick={() => onOpen(sessionId)}
          >
            {title}
          </button>
        ) : (
          <span className="block truncate font-medium">{title}</span>
        )}
        <span className="block truncate text-sm text-ink-muted">
          <span className="sm:hidden">{dayText(day, true)} · </span>
          {entryDetail(entry, isProject)}
        </span>
      </span>
      <Money
        amount={amount}
        isSigned
        className={classes("shrink-0", getCredits(amount) > 0n ? "font-medium text-success-text" : null)}
      />
    </li>
  );
}
