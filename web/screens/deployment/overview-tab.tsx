import type { ReactNode } from "react";
import { Link } from "react-router";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { Money, MoneyShown } from "../../panels/money.tsx";
import { appAddress } from "../../api/apps/apps.ts";
import { deploymentAddress } from "../../api/deployments/deployments.ts";
import { accessWords } from "../../panels/deploy/access-fields.tsx";
import { CopiedText } from "../../panels/deploy/copied-text.tsx";
import { personName } from "../../panels/runs/run-words.ts";
import { classes } from "../../ui/classes.ts";
import { Card } from "../../ui/layout/card.tsx";
import { Releases } from "./releases.tsx";

interface TabProps {
  projectId: string;
  deployment: Deployment;
}

/** How it goes today, where it is, and its releases. */
export function OverviewTab({ projectId, deployment }: TabProps) {
  const { calls, cost_today, policy } = deployment;
  const callsAddress = deploymentAddress(projectId, deployment.graph.id, "calls");
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-5xl flex-col gap-8 px-4 py-6 sm:px-6">
        <dl aria-label="Today" className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
          <Figure label="Calls today" to={callsAddress}>
            {calls.today.toLocaleString("en")}
          </Figure>
          <Figure label="Failed today" to={`${callsAddress}&state=bad`} isBad={calls.failed_today > 0}>
            {calls.failed_today.toLocaleString("en")}
          </Figure>
          <Figure label="Running now" to={`${callsAddress}&state=alive`}>
            {calls.running.toLocaleString("en")}
          </Figure>
          <Figure label="Waiting now">{calls.queued.toLocaleString("en")}</Figure>
          <MoneyShown>
            <Figure label="Cost today">
              <Money amount={cost_today} />
              {policy.day_budget === null ? null : (
                <span className="text-sm font-normal text-ink-muted">
                  {" "}
                  of <Money amount={policy.day_budget} digits="all" />
                </span>
              )}
            </Figure>
          </MoneyShown>
        </dl>
        <section aria-label="Address" className="grid gap-x-8 gap-y-3 md:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-1.5">
            <h2 className="text-sm font-medium">App</h2>
            <CopiedText label="Address of the app" text={new URL(appAddress(deployment.name), location.origin).href} />
            <p className="text-sm text-ink-muted">
              {accessWords(deployment.access)}.{" "}
              {policy.payer === "caller"
                ? "Callers pay."
                : `${deployment.owner ? personName(deployment.owner) : "Nobody"} pays.`}
            </p>
          </div>
          <div className="flex min-w-0 flex-col gap-1.5">
            <h2 className="text-sm font-medium">API</h2>
            <CopiedText
              label="Address of the API"
              text={new URL(`/api/v3/deployments/${deployment.name}/runs`, location.origin).href}
            />
            <p className="text-sm text-ink-muted">
              <Link to={appAddress(deployment.name, "api")} className="text-accent-text hover:underline">
                How to call it
              </Link>
            </p>
          </div>
        </section>
        <Releases deployment={deployment} projectId={projectId} />
      </div>
    </div>
  );
}

interface FigureProps {
  label: string;
  to?: string;
  isBad?: boolean;
  children: ReactNode;
}

function Figure({ label, to, isBad = false, children }: FigureProps) {
  return (
    <Card
      className={classes(
        "relative flex flex-col-reverse p-4 max-sm:last:col-span-2",
        to && "transition-colors hover:border-line-strong",
      )}
    >
      <dt className="text-sm text-ink-muted">
        {to ? (
          <Link to={to} className="before:absolute before:inset-0 before:rounded-lg">
            {label}
          </Link>
        ) : (
          label
        )}
      </dt>
      <dd className={classes("text-2xl font-semibold tabular-nums", isBad && "text-danger-text")}>{children}</dd>
    </Card>
  );
}
