import { Download, ScrollText } from "lucide-react";
import { useState } from "react";

import type { AuditRecord } from "@miranda/contract/schemas/audit.ts";

import {
  type AuditFilters,
  type AuditScope,
  exportAddress,
  noFilters,
  useAuditEvents,
} from "../../api/audit/audit-events.ts";
import { debounce } from "../../limits.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { Card } from "../../ui/layout/card.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { AuditFilterBar } from "./audit-filters.tsx";

const perDay = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const perMinute = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** Who did what, newest first, with filters and exports. */
export function AuditList({ scope }: { scope: AuditScope }) {
  const [chosen, setChosen] = useState<AuditFilters>(noFilters);
  const text = useDebouncedText(debounce.filter);
  const person = useDebouncedText(debounce.filter);
  const filters: AuditFilters = { ...chosen, text: text.committed.trim(), person: person.committed.trim() };
  const events = useAuditEvents(scope, filters);
  const shown = events.data?.pages.flatMap((page) => page.events);

  function reset() {
    setChosen(noFilters);
    for (const field of [text, person]) field.setText("");
  }

  return (
    <section className="flex flex-col gap-4" aria-label={scope === undefined ? "Audit log" : "Activity"}>
      <AuditFilterBar
        scope={scope}
        filters={filters}
        texts={{ text: text.text, person: person.text }}
        busy={events.isFetching && !events.isFetchingNextPage && shown !== undefined}
        onText={(name, value) => (name === "text" ? text : person).setText(value)}
        onChange={(change) => setChosen({ ...chosen, ...change })}
        onReset={reset}
      />
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-muted">
        <span className="mr-auto max-sm:w-full">Records can be neither changed nor deleted.</span>
        <a
          href={exportAddress(scope, filters, "csv")}
          download="audit-log.csv"
          className={buttonClasses({ size: "sm" })}
        >
          <Download className="size-4" aria-hidden="true" />
          CSV
        </a>
        <a
          href={exportAddress(scope, filters, "jsonl")}
          download="audit-log.jsonl"
          className={buttonClasses({ size: "sm" })}
        >
          <Download className="size-4" aria-hidden="true" />
          JSON lines
        </a>
      </div>
      {events.error ? (
        <LoadFailure
          title="The records could not be loaded"
          message={events.error.message}
          onRetry={() => void events.refetch()}
          busy={events.isFetching}
        />
      ) : shown === undefined ? (
        <Spinner label="Loading the records" showLabel />
      ) : shown.length === 0 ? (
        <EmptyState icon={ScrollText} title="No records">
          {Object.values(filters).some((value) => value !== "")
            ? "No record fits these filters."
            : "Nothing has happened yet."}
        </EmptyState>
      ) : (
        <>
          {byDay(shown).map(([day, records]) => (
            <Card key={day} className="overflow-hidden">
              <h3 className="border-b border-line bg-sunken px-4 py-2 text-sm font-medium">{day}</h3>
              <ul aria-label={day} className="divide-y divide-line">
                {records.map((event) => (
                  <AuditRow
                    key={event.id}
                    event={event}
                    scope={scope}
                    onProject={(project_id) => setChosen({ ...chosen, project_id })}
                  />
                ))}
              </ul>
            </Card>
          ))}
          {events.hasNextPage ? (
            <Button
              className="self-center"
              busy={events.isFetchingNextPage}
              onClick={() => void events.fetchNextPage()}
            >
              Show more
            </Button>
          ) : (
            <p className="text-center text-sm text-ink-faint">These are all records.</p>
          )}
        </>
      )}
    </section>
  );
}

function byDay(events: readonly AuditRecord[]): [string, AuditRecord[]][] {
  const days = new Map<string, AuditRecord[]>();
  for (const event of events) {
    const day = perDay.format(new Date(event.time));
    days.set(day, [...(days.get(day) ?? []), event]);
  }
  return [...days];
}

interface AuditRowProps {
  event: AuditRecord;
  scope: AuditScope;
  onProject: (id: string) => void;
}

function AuditRow({ event, scope, onProject }: AuditRowProps) {
  const { time, sentence, result, project, address, browser } = event;
  const place = [browser, address].filter((part) => part !== "").join(" · ");
  return (
    <li className="flex items-baseline gap-4 px-4 py-2.5" data-testid="audit-event">
      <time
        dateTime={time}
        title={new Date(time).toLocaleString()}
        className="w-18 shrink-0 text-sm whitespace-nowrap text-ink-muted tabular-nums"
      >
        {perMinute.format(new Date(time))}
      </time>
      <span className="min-w-0 grow">
        <span className="block wrap-anywhere">{oneLine(sentence)}</span>
        <span className="flex min-w-0 flex-wrap gap-x-3 text-sm text-ink-muted">
          {scope === undefined && project ? (
            <button
              type="button"
              title="Show only this project"
              className="truncate rounded-sm underline-offset-2 hover:underline"
              onClick={() => onProject(project.id)}
            >
              {oneLine(project.name)}
            </button>
          ) : null}
          {place === "" ? null : <span className="truncate">{place}</span>}
        </span>
      </span>
      {result === "refused" ? <Badge tone="danger">Refused</Badge> : null}
    </li>
  );
}
