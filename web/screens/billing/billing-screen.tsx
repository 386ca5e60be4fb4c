import type { ReactNode } from "react";

import { useAccount } from "../../api/account/session.ts";
import { AccountPage } from "../../shell/account/account-page.tsx";
import { Card } from "../../ui/layout/card.tsx";

export function BillingScreen() {
  const { credits, trial, trial_end, subscribed } = useAccount();
  return (
    <AccountPage title="Usage and billing">
      <div className="grid gap-4 sm:grid-cols-2">
        <Figure label="Balance" value={credits.toLocaleString(undefined, { maximumFractionDigits: 2 })}>
          {credits === 1 ? "credit" : "credits"} left
        </Figure>
        {trial === 1 && trial_end !== null ? (
          <Figure label={hasPassed(trial_end) ? "Trial ended" : "Trial ends"} value={longDate(trial_end)}>
            On trial, processors run while you have credits
          </Figure>
        ) : (
          <Figure label="Plan" value={subscribed === 1 ? "Subscribed" : "None"}>
            {subscribed === 1
              ? "Subscribed, processors run while you have credits"
              : "You are neither subscribed nor on trial"}
          </Figure>
        )}
      </div>
      <p className="text-ink-muted">
        What you spend per day, per project and per session will be listed here. That part is not built yet.
      </p>
    </AccountPage>
  );
}

function Figure({ label, value, children }: { label: string; value: string; children: ReactNode }) {
  return (
    <Card className="p-5">
      <div className="text-sm font-medium text-ink-muted">{label}</div>
      <div className="mt-2 text-2xl font-semibold tabular-nums">{value}</div>
      <div className="text-sm text-ink-muted">{children}</div>
    </Card>
  );
}

function hasPassed(time: string): boolean {
  return Date.parse(time) <= Date.now();
}

function longDate(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });
}
