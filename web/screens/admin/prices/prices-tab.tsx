import { useState } from "react";

import type { Price, PriceList, Rates } from "@miranda/contract/schemas/billing/prices.ts";

import { usePriceActions, usePriceList } from "../../../api/billing/prices.ts";
import { useMoney } from "../../../api/settings.ts";
import { priceText } from "../../../panels/processor/limits/price-words.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { Card } from "../../../ui/layout/card.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { NotLoaded } from "../not-loaded.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { priceLabels } from "./price-labels.ts";

/** What sessions cost, and from when on. */
export function PricesTab() {
  const query = usePriceList();
  const { data, refetch } = query;
  const money = useMoney();
  const [isSetting, setSetting] = useState(false);
  const [withdrawing, setWithdrawing] = useState<Price | null>(null);
  // Grows when the stored prices replace what was typed.
  const [shown, setShown] = useState(0);
  async function reload(): Promise<void> {
    await refetch();
    setShown((count) => count + 1);
  }
  if (!data) return <NotLoaded title="The prices could not be loaded" query={query} />;
  return (
    <section className="flex flex-col gap-4" aria-labelledby="prices">
      <div className="flex flex-wrap items-center gap-3">
        <div className="mr-auto max-w-2xl">
          <h2 id="prices" className="text-lg font-semibold">
            Prices
          </h2>
          <p className="text-sm text-ink-muted">
            New prices apply from their start time, also to running sessions. Past charges do not change.
          </p>
        </div>
        <Button variant="primary" onClick={() => setSetting(true)}>
          Set prices
        </Button>
      </div>
      <Figures rates={data.now} />
      <Card className="overflow-hidden">
        <ul aria-label="Prices" className="divide-y divide-line">
          {data.prices.map((price) => (
            <Entry key={price.id} price={price} onWithdraw={() => setWithdrawing(price)} />
          ))}
          <li className="px-5 py-3">
            <div className="font-medium">{priceText(data.settings, money)}</div>
            <p className="text-sm text-ink-muted">
              {data.prices.some(({ state }) => state === "now") ? "Past" : "Current"}. From the settings of the server.
            </p>
          </li>
        </ul>
      </Card>
      {isSetting ? (
        <PriceDialog key={shown} list={data} onReload={() => void reload()} onClose={() => setSetting(false)} />
      ) : null}
      {withdrawing === null ? null : (
        <WithdrawDialog list={data} price={withdrawing} onClose={() => setWithdrawing(null)} />
      )}
    </section>
  );
}

function Figures({ rates }: { rates: Rates }) {
  const money = useMoney();
  return (
    <dl aria-label="Current prices" className="grid gap-4 sm:grid-cols-3">
      {priceLabels.map(({ name, label }) => (
        <Card key={name} className="p-5">
          <dt className="text-sm font-medium text-ink-muted">{label}</dt>
          <dd className="mt-1 text-2xl font-semibold tabular-nums">{money(rates[name], "all")}</dd>
        </Card>
      ))}
    </dl>
  );
}

/** "Scheduled, from 17 Nov 2026, 12:00", or "Withdrawn. Was to start on …" */
function stateText({ state, from }: Price): string {
  const start = new Date(from).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  if (state === "withdrawn") return `Withdrawn. Was to start on ${start}`;
  return `${{ past: "Past", now: "Current", future: "Scheduled" }[state]}, from ${start}`;
}

function Entry({ price, onWithdraw }: { price: Price; onWithdraw: () => void }) {
  const money = useMoney();
  const { state, note, by, time_set } = price;
  return (
    <li className="flex items-center gap-4 px-5 py-3">
      <div className="min-w-0 grow">
        <div className={classes("font-medium", state === "withdrawn" ? "text-ink-muted line-through" : null)}>
          {priceText(price, money)}
        </div>
        <p className="text-sm text-ink-muted">
          {stateText(price)}. Set by {by ?? "a deleted account"}, <RelativeTime time={time_set} />
          {note === "" ? "." : `: ${note}`}
        </p>
      </div>
      {state === "future" ? (
        <Button size="sm" onClick={onWithdraw}>
          Withdraw
        </Button>
      ) : null}
    </li>
  );
}

function WithdrawDialog({ list, price, onClose }: { list: PriceList; price: Price; onClose: () => void }) {
  const { withdraw } = usePriceActions(list.version);
  const money = useMoney();
  return (
    <ConfirmDialog
      title="Withdraw prices"
      text={`These prices will not take effect: ${priceText(price, money)}. The prices before them stay.`}
      action="Withdraw"
      onConfirm={async () => {
        await withdraw(price.id);
        toast.success("Prices withdrawn.");
        onClose();
      }}
      onClose={onClose}
    />
  );
}
