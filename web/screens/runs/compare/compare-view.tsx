import { useQuery } from "@tanstack/react-query";
import { ArrowLeftRight } from "lucide-react";
import { Link, NavLink, Outlet, useParams } from "react-router";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { Money, MoneyShown } from "../../../panels/money.tsx";
import { runAddress, runQuery } from "../../../api/runs/runs.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { RunBadge } from "../../../panels/runs/run-mark.tsx";
import { durationWords, isLive, runSeconds, versionWords } from "../../../panels/runs/run-words.ts";
import { useNow } from "../../../panels/runs/use-now.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { Tooltip } from "../../../ui/overlay/tooltip.tsx";
import { changeWords } from "./compared-nodes.ts";

const parts = [
  { part: "", label: "Timings" },
  { part: "changes", label: "Code and values" },
  { part: "outputs", label: "Outputs" },
  { part: "packages", label: "Packages" },
] as const;

/** Two runs of a workflow side by side. Its address names both, so that it can be shared. */
export function CompareView() {
  const { otherId = "" } = useParams();
  const { run } = useOpenRun();
  const { data: other, error, isFetching, refetch } = useQuery(runQuery(otherId));
  const now = useNow(isLive(run) || (other !== undefined && isLive(other)));
  if (error && !other)
    return (
      <div className="p-4">
        <LoadFailure
          title="The other run could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!other) return <LoadingArea label="Loading the other run" />;
  const base = runAddress(run.id, `compare/${other.id}`);
  const change = changeWords(runSeconds(other, now), runSeconds(run, now));
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="run-comparison">
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-canvas px-4 py-2 sm:px-6">
        <Side label="Before" run={other} />
        <Tooltip text="Swap the sides">
          <Link
            to={runAddress(other.id, `compare/${run.id}`)}
            aria-label="Swap the sides"
            className={buttonClasses({ variant: "ghost", size: "icon" })}
          >
            <ArrowLeftRight className="size-4" aria-hidden="true" />
          </Link>
        </Tooltip>
        <Side label="After" run={run} />
        <p className="text-sm text-ink-muted">{change === "" ? null : `Took ${change}.`}</p>
      </div>
      <nav
        aria-label="Parts of the comparison"
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line bg-surface px-3 py-1.5 sm:px-5"
      >
        {parts.map(({ part, label }) => (
          <NavLink
            key={part}
            to={part === "" ? base : `${base}/${part}`}
            end
            className={({ isActive }) =>
              classes(
                "flex h-8 shrink-0 items-center rounded-md px-3 text-sm font-medium transition-colors",
                isActive ? "bg-accent-soft text-accent-text" : "text-ink-muted hover:bg-hover hover:text-ink",
              )
            }
          >
            {label}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </div>
  );
}

function Side({ label, run }: { label: string; run: RunDetails }) {
  const now = useNow(isLive(run));
  return (
    <Link
      to={runAddress(run.id)}
      className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-surface px-3 py-1.5 text-sm hover:border-ink-faint"
    >
      <span className="text-xs text-ink-faint">{label}</span>
      <RunBadge state={run.state} />
      <span dir="auto" className="min-w-0 truncate">
        {versionWords(run.version, run.graph_revision)}
        <span className="text-ink-muted">
          , <RelativeTime time={run.time_began} />, {durationWords(run, now)}
          <MoneyShown>
            , <Money amount={run.cost} />
          </MoneyShown>
        </span>
      </span>
    </Link>
  );
}
