import { NavLink } from "react-router";

import { runAddress } from "../../../api/runs/runs.ts";
import { CommentsButton } from "../../../panels/comments/comments-button.tsx";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { RunBadge } from "../../../panels/runs/run-mark.tsx";
import { modeWords } from "../../../panels/runs/run-words.ts";
import { classes } from "../../../ui/classes.ts";
import { FailureLine } from "./failure-line.tsx";
import { RunActions } from "./run-actions.tsx";
import { RunFacts } from "./run-facts.tsx";

const parts = [
  { part: "", label: "Timeline" },
  { part: "graph", label: "Graph" },
  { part: "log", label: "Log" },
  { part: "metrics", label: "Metrics" },
  { part: "files", label: "Files" },
] as const;

/** What the run is and what can be done with it, and the links to its parts. */
export function RunHeader() {
  const { run } = useOpenRun();
  return (
    <header className="shrink-0 border-b border-line bg-surface px-4 pt-3 sm:px-6" data-testid="run-header">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="flex min-w-0 items-center gap-2.5 text-lg font-semibold">
            <span className="shrink-0">Run {run.number}</span>
            <RunBadge state={run.state} />
            <span dir="auto" className="min-w-0 truncate text-base font-normal text-ink-muted">
              {modeWords(run)}
            </span>
          </h1>
          <RunFacts run={run} />
        </div>
        <span className="flex items-center gap-2">
          <CommentsButton hasCount={false} />
          <RunActions />
        </span>
      </div>
      <FailureLine run={run} />
      <nav aria-label="Parts of the run" className="-mb-px flex gap-5 overflow-x-auto pt-2">
        {parts.map(({ part, label }) => (
          <NavLink
            key={part}
            to={runAddress(run.id, part)}
            end
            className={({ isActive }) =>
              classes(
                "-mx-1 flex h-10 shrink-0 items-center border-b-2 px-1 font-medium -outline-offset-2 transition-colors",
                isActive ? "border-accent text-ink" : "border-transparent text-ink-muted hover:text-ink",
              )
            }
          >
            {label}
          </NavLink>
        ))}
      </nav>
    </header>
  );
}
