import { lazy, type ReactNode, Suspense, useState } from "react";
import { Link, useSearchParams } from "react-router";

import type { SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { useMoney } from "../../api/settings.ts";
import { useAccount } from "../../api/account/session.ts";
import { usePricesNow } from "../../api/billing/prices.ts";
import { type SpendingScope, useSpendingDays, useSpendingSummary } from "../../api/billing/spending.ts";
import { HttpError } from "../../api/http.ts";
import { useProject } from "../../api/projects.ts";
import { priceSentence } from "../../panels/processor/limits/price-words.ts";
import { ShownDaysSelect, useShownDays } from "../../panels/shown-days.tsx";
import { AccountPage } from "../../shell/account/account-page.tsx";
import { HandbookLink } from "../../shell/handbook-link.tsx";
import { classes } from "../../ui/classes.ts";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { groupingWords } from "./billing-words.ts";
import { BudgetCard } from "./budget-card.tsx";
import { ChosenChips } from "./chosen-chips.tsx";
import { addPart, type ChosenPart, filtersOf, withoutPart } from "./chosen-parts.ts";
import { BalanceFigure, MonthFigures, PlanFigure } from "./figures.tsx";
import { LedgerList } from "./ledger-list.tsx";
import { PurseCard } from "./purse-card.tsx";
import { SpendChart } from "./spend-chart.tsx";

const PartsDialog = lazy(() => import("./parts-dialog.tsx").then((m) => ({ default: m.PartsDialog })));

/** What the person spent; with `?project=`, what everybody spent in a project of theirs. */
export function BillingScreen() {
  const [search] = useSearchParams();
  const scope = search.get("project") ?? undefined;
  const isShown = useMoneyShown();
  return (
    <AccountPage title="Usage and billing">
      {isShown ? null : <p className="text-ink-muted">Running is free here: nobody needs credits.</p>}
      {scope === undefined || !isShown ? null : <ProjectHeading projectId={scope} />}
      {/* Filters of one project mean nothing in another. */}
      {isShown ? <Spending key={scope ?? ""} scope={scope} /> : null}
    </AccountPage>
  );
}

function ProjectHeading({ projectId }: { projectId: string }) {
  const { data } = useProject(projectId);
  return (
    <p className="text-ink-muted">
      Spending of{" "}
      <Link to={`/designer/projects/${projectId}`} className="font-medium text-ink underline-offset-2 hover:underline">
        {data?.project.name ?? "the project"}
      </Link>
      .{" "}
      <Link to="/account/billing" className="text-accent-text underline-offset-2 hover:underline">
        Show your own
      </Link>
    </p>
  );
}

function Spending({ scope }: { scope: SpendingScope }) {
  const account = useAccount();
  const { data: summary, error, refetch, isFetching } = useSpendingSummary(scope);
  if (scope !== undefined && error instanceof HttpError && error.status === 403)
    return (
      <>
        <PurseCard projectId={scope} />
        <p className="text-sm text-ink-muted">What was spent in the project is shown to its owner.</p>
      </>
    );
  if (error && !summary)
    return (
      <LoadFailure
        title="The spending could not be loaded"
        message={error.message}
        onRetry={() => void refetch()}
        busy={isFetching}
      />
    );
  if (!summary) return <Spinner label="Loading the spending" showLabel />;
  return (
    <>
      <div className={classes("grid gap-4 sm:grid-cols-2", scope === undefined ? "xl:grid-cols-4" : "lg:grid-cols-3")}>
        {summary.balance === null ? null : <BalanceFigure balance={summary.balance} isPurse={scope !== undefined} />}
        {scope === undefined ? <PlanFigure {...account} /> : null}
        <MonthFigures month={summary.month} />
      </div>
      <Days scope={scope}>
        <div className={scope === undefined ? "contents" : "grid gap-4 lg:grid-cols-2"}>
          <BudgetCard scope={scope} budget={summary.budget} />
          {scope === undefined ? null : <PurseCard projectId={scope} />}
        </div>
      </Days>
      <p className="text-sm text-ink-muted">
        <PriceLine />
        Days are those of your time zone. An administrator gives credits.{" "}
        <HandbookLink page="billing">How it is counted</HandbookLink>
      </p>
    </>
  );
}

/** What a session costs. */
function PriceLine() {
  const { data } = usePricesNow();
  const money = useMoney();
  return data ? <>{priceSentence(data, money)} </> : null;
}

function Days({ scope, children }: { scope: SpendingScope; children: ReactNode }) {
  const shown = useShownDays("30");
  const { days } = shown;
  const [by, setBy] = useState<SpendingGrouping>(scope === undefined ? "project" : "person");
  const [chosen, setChosen] = useState<readonly ChosenPart[]>([]);
  const [showsParts, setShowsParts] = useState(false);
  const filters = { ...days, ...filtersOf(chosen) };
  const { data, error } = useSpendingDays(scope, filters, by);
  const groupings = (["project", "workflow", "person", "kind"] as const).filter(
    (grouping) => scope === undefined || grouping !== "project",
  );
  const choose = (key: string, name: string) => {
    setChosen(addPart(chosen, { by, key, name }));
    setShowsParts(false);
  };
  return (
    <>
      <Card className="flex flex-col gap-4 p-5">
        <div className="flex flex-wrap items-center gap-3">
          <h2 className="mr-auto text-lg font-semibold">Spend per day</h2>
          <ChosenChips chosen={chosen} onRemove={(part) => setChosen(withoutPart(chosen, part))} />
          <PlainSelect label="Divided by" value={by} onChange={(value) => setBy(value as SpendingGrouping)}>
            {groupings.map((grouping) => (
              <option key={grouping} value={grouping}>
                By {groupingWords[grouping].toLowerCase()}
              </option>
            ))}
          </PlainSelect>
          <ShownDaysSelect {...shown} />
        </div>
        {days.from > days.to ? (
          <p role="alert" className="text-danger-text">
            The first day is after the last.
          </p>
        ) : data === undefined ? (
          error ? (
            <p role="alert" className="text-danger-text">
              {error.message}
            </p>
          ) : (
            <Spinner label="Loading the days" showLabel />
          )
        ) : data.parts.length === 0 ? (
          <p className="py-10 text-center text-ink-muted">Nothing was spent in these days.</p>
        ) : (
          <SpendChart days={data} by={by} onChoose={choose} onOthers={() => setShowsParts(true)} />
        )}
      </Card>
      {showsParts ? (
        <Suspense>
          <PartsDialog scope={scope} by={by} filters={filters} onChoose={choose} onClose={() => setShowsParts(false)} />
        </Suspense>
      ) : null}
      {children}
      <LedgerList scope={scope} filters={filters} chosen={chosen} />
    </>
  );
}
