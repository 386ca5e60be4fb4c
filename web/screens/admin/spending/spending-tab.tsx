import { Coins, Download } from "lucide-react";
import { useState } from "react";

import { getCredits } from "@miranda/contract/billing/credits.ts";
import type {
  InstallationGrouping,
  InstallationSpending,
} from "@miranda/contract/schemas/billing/installation-spending.ts";

import { spendingFile, useInstallationSpending } from "../../../api/admin/spending.ts";
import { Money } from "../../../panels/money.tsx";
import { ShownDaysSelect, useShownDays } from "../../../panels/shown-days.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { NotLoaded } from "../not-loaded.tsx";

const groupings: { value: InstallationGrouping; label: string }[] = [
  { value: "person", label: "By person" },
  { value: "project", label: "By project" },
  { value: "app", label: "By app" },
  { value: "month", label: "By month" },
];

/** What everybody on this installation has spent. */
export function SpendingTab() {
  const [by, setBy] = useState<InstallationGrouping>("person");
  const shown = useShownDays("month");
  const { days } = shown;
  const query = useInstallationSpending(days, by);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const first = data?.pages[0];
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <section className="flex flex-col gap-4" aria-labelledby="spending">
      <div>
        <h2 id="spending" className="text-lg font-semibold">
          Spending
        </h2>
        <p className="text-sm text-ink-muted">What sessions and calls of everybody cost, whoever paid.</p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <PlainSelect label="Divided by" value={by} onChange={(value) => setBy(value as InstallationGrouping)}>
          {groupings.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </PlainSelect>
        <ShownDaysSelect {...shown} />
        <a href={spendingFile(days)} download="spending.csv" className={buttonClasses({}, "ml-auto")}>
          <Download className="size-4" aria-hidden="true" />
          CSV
        </a>
      </div>
      {first === undefined ? (
        <NotLoaded title="The spending could not be loaded" query={query} />
      ) : rows.length === 0 ? (
        <EmptyState icon={Coins} title="Nothing spent">
          Nobody has spent anything in these days.
        </EmptyState>
      ) : (
        <Card className="overflow-hidden">
          <div className="flex items-baseline justify-between gap-4 border-b border-line bg-sunken px-5 py-3">
            <span className="font-medium">Total</span>
            <span data-testid="total">
              <Money amount={first.total} className="text-lg font-semibold" />
            </span>
          </div>
          <ul aria-label="Spending" className="divide-y divide-line">
            {rows.map((row) => (
              <Row key={row.key} row={row} by={by} total={first.total} />
            ))}
          </ul>
        </Card>
      )}
      {hasNextPage ? (
        <Button className="self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      {rows.length === 0 ? null : (
        <p className="text-sm text-ink-muted">
          The CSV file has a line for each month, person, project and app. Days are those of your time zone.
        </p>
      )}
    </section>
  );
}

interface RowProps {
  row: InstallationSpending["rows"][number];
  by: InstallationGrouping;
  total: string;
}

function Row({ row, by, total }: RowProps) {
  const all = getCredits(total);
  const thousandths = all === 0n ? 0 : Number((getCredits(row.amount) * 1_000n) / all);
  const percent = thousandths / 10;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-1.5 px-5 py-3">
      <span dir="auto" className="truncate font-medium">
        {oneLine(nameOf(row, by))}
      </span>
      <span className="flex items-baseline gap-3">
        <span className="text-sm text-ink-muted tabular-nums">
          {percent < 1 ? "< 1 %" : `${Math.round(percent)} %`}
        </span>
        <Money amount={row.amount} className="min-w-20 text-right" />
      </span>
      <span aria-hidden="true" className="col-span-2 h-1.5 overflow-hidden rounded-full bg-line">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </span>
    </li>
  );
}

function nameOf({ key, name }: InstallationSpending["rows"][number], by: InstallationGrouping): string {
  if (by === "month") return monthText(key);
  if (name !== "") return name;
  if (by === "person") return "Visitors and waiting";
  if (by === "app") return key === "" ? "Not an app" : "Deleted app";
  return key === "" ? "No project" : "Project without a name";
}

/** In the middle of the month, so that no time zone shows another one. */
function monthText(month: string): string {
  return new Date(`${month}-15T12:00:00`).toLocaleDateString(undefined, { month: "long", year: "numeric" });
}
