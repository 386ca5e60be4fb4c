import type { ReactNode } from "react";

import type { SpendingSummary } from "@miranda/contract/schemas/billing/spending.ts";
import type { Account } from "@miranda/contract/schemas/auth.ts";

import { Money } from "../../panels/money.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { comparison } from "./billing-words.ts";

function Figure({ label, value, children }: { label: string; value: ReactNode; children: ReactNode }) {
  return (
    <Card className="flex min-w-0 flex-col p-5">
      <div className="text-sm font-medium text-ink-muted">{label}</div>
      <div className="mt-2 truncate text-2xl font-semibold tabular-nums">{value}</div>
      <div className="text-sm text-ink-muted">{children}</div>
    </Card>
  );
}

export function BalanceFigure({ balance, isPurse }: { balance: string; isPurse: boolean }) {
  return (
    <Figure label={isPurse ? "Project credits" : "Balance"} value={<Money amount={balance} />}>
      left to spend
    </Figure>
  );
}

export function PlanFigure({ trial, trial_end, subscribed }: Account) {
  if (subscribed !== 1 && trial === 1 && trial_end !== null) {
    const isOver = hasPassed(trial_end);
    return (
      <Figure label={isOver ? "Trial ended" : "Trial ends"} value={dateText(trial_end)}>
        {isOver ? "Processors do not start any more" : "On trial, processors run while you have credits"}
      </Figure>
    );
  }
  return (
    <Figure label="Plan" value={subscribed === 1 ? "Subscribed" : "None"}>
      {subscribed === 1
        ? "Subscribed, processors run while you have credits"
        : "You are neither subscribed nor on trial"}
    </Figure>
  );
}

export function MonthFigures({ month }: { month: SpendingSummary["month"] }) {
  return (
    <>
      <Figure label="This month" value={<Money amount={month.spent} />}>
        {comparison(month.spent, month.last_until_now)}
      </Figure>
      <Figure label="Forecast for the month" value={<Money amount={month.forecast} />}>
        So far, and for each day left as much as on average in the last 7 days. Last month:{" "}
        <Money amount={month.last} />
      </Figure>
    </>
  );
}

function hasPassed(time: string): boolean {
  return Date.parse(time) <= Date.now();
}

function dateText(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
