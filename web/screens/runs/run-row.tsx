import { CalendarClock, Rocket } from "lucide-react";
import { memo } from "react";
import { Link } from "react-router";

import type { Run } from "@miranda/contract/schemas/runs.ts";

import { Money, MoneyShown } from "../../panels/money.tsx";
import { runAddress } from "../../api/runs/runs.ts";
import { usernameColour } from "../../format/username-colour.ts";
import { runLooks } from "../../panels/runs/run-looks.ts";
import { LookIcon } from "../../panels/runs/run-mark.tsx";
import {
  durationWords,
  isLive,
  modeWords,
  nodeCountWords,
  partsWords,
  personName,
  versionWords,
} from "../../panels/runs/run-words.ts";
import { useNow } from "../../panels/runs/use-now.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { classes } from "../../ui/classes.ts";

/** The columns of the list, from a width at which they fit. */
const columns =
  "xl:grid xl:grid-cols-[7.5rem_minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,1fr)_minmax(0,11rem)_6.5rem_6.5rem_6rem] xl:items-center xl:gap-x-4";

interface RunRowProps {
  run: Run;
  /** The list is of one workflow, so its name would be the same in every row. */
  ofWorkflow: boolean;
}

/** One run in the list. The whole row is the link. */
export const RunRow = memo(function RunRow({ run, ofWorkflow }: RunRowProps) {
  const look = runLooks[run.state];
  const what = modeWords(run);
  const { by } = run;
  return (
    <div
      data-testid="run"
      data-id={run.id}
      data-state={run.state}
      className={classes(
        "relative flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5 text-sm hover:bg-hover",
        columns,
      )}
    >
      <span className="flex items-center gap-2 font-medium">
        <LookIcon look={look} />
        {look.word}
      </span>
      <span className="min-w-0 flex-1 basis-40">
        <Link
          to={runAddress(run.id)}
          dir="auto"
          className="block truncate text-base font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-(--ring)"
        >
          {ofWorkflow ? what : run.graph.name}
        </Link>
        <span dir="auto" className="block truncate text-xs text-ink-muted">
          {run.state === "failed" && run.failed_node
            ? `${run.failed_node.name} failed`
            : run.reason || (ofWorkflow ? `Run ${run.number} of its session` : run.graph.project_name)}
        </span>
      </span>
      <span className="min-w-0 max-xl:order-3 max-xl:basis-3/5 xl:block">
        <span dir="auto" className={classes("truncate", ofWorkflow ? "xl:hidden" : "xl:block")}>
          {what}
        </span>
        <span aria-hidden="true" className="text-ink-faint xl:hidden">
          {" · "}
        </span>
        <span dir="auto" className="truncate text-xs text-ink-muted xl:block">
          {versionWords(run.version, run.graph_revision)}
        </span>
      </span>
      <span className="flex min-w-0 items-center gap-2 max-xl:order-2">
        {run.source === "person" ? (
          <Avatar
            size="sm"
            name={by ? personName(by) : "?"}
            src={by?.avatar}
            {...(by && { borderColour: usernameColour(by.username) })}
          />
        ) : (
          <SourceIcon source={run.source} />
        )}
        <span dir="auto" className="truncate">
          {personName(by)}
        </span>
      </span>
      <span className="truncate text-ink-muted tabular-nums max-xl:order-2">{nodeCountWords(run)}</span>
      <span className="text-ink-muted max-xl:order-2">
        <RelativeTime time={run.time_began} />
      </span>
      <Duration run={run} />
      <span className="text-right text-ink-muted tabular-nums max-xl:order-3 max-xl:ml-auto">
        <MoneyShown>
          <Money amount={run.cost} />
        </MoneyShown>
      </span>
    </div>
  );
});

function SourceIcon({ source }: { source: "deployment" | "schedule" }) {
  const Icon = source === "deployment" ? Rocket : CalendarClock;
  const word = source === "deployment" ? "By a deployment" : "By a schedule";
  return (
    <span className="grid size-7 shrink-0 place-items-center text-ink-muted" title={word}>
      <Icon className="size-4" aria-hidden="true" />
      <span className="sr-only">{word}</span>
    </span>
  );
}

/** Ticks while the run is alive. */
function Duration({ run }: { run: Run }) {
  const now = useNow(isLive(run));
  return (
    <span
      className="tabular-nums max-xl:order-1 xl:text-right"
      data-testid="run-duration"
      title={isLive(run) ? undefined : partsWords(run)}
    >
      {durationWords(run, now)}
    </span>
  );
}

const headings = {
  all: ["State", "Workflow", "What", "Who", "Nodes", "Began", "Duration", "Cost"],
  ofWorkflow: ["State", "What", "Version", "Who", "Nodes", "Began", "Duration", "Cost"],
} as const;

/** The names of the columns. A phone shows rows that need none. */
export function RunColumns({ ofWorkflow }: { ofWorkflow: boolean }) {
  return (
    <div
      aria-hidden="true"
      className={classes(
        "shrink-0 border-b border-line bg-sunken px-4 py-2 text-sm font-medium text-ink-muted max-xl:hidden",
        columns,
      )}
    >
      {headings[ofWorkflow ? "ofWorkflow" : "all"].map((name) => (
        <span key={name} className={name === "Duration" || name === "Cost" ? "text-right" : undefined}>
          {name}
        </span>
      ))}
    </div>
  );
}
