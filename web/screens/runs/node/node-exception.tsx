import { Wrench } from "lucide-react";
import { useCallback } from "react";
import { Link } from "react-router";

import { messages } from "@miranda/contract/words/messages.ts";
import type { RunDetails, RunException } from "@miranda/contract/schemas/runs.ts";

import { fixAddress } from "../../../api/runs/crashes.ts";
import { CrashView } from "../../../panels/crash/crash-view.tsx";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { LongText } from "../../../ui/text/long-text.tsx";

interface NodeExceptionProps {
  run: RunDetails;
  exception: RunException;
}

/** What a node raised, and where. */
export function NodeException({ run, exception }: NodeExceptionProps) {
  const { wob_key, line, traceback } = exception;
  const { mayWrite } = useOpenRun();
  const nameOf = useCallback(
    (node: number) => run.run_nodes.find((one) => one.wob_key === node)?.name,
    [run.run_nodes],
  );
  return (
    <div className="flex flex-col gap-2" data-testid="run-exception">
      {line > 0 ? (
        <p className="font-mono text-xs break-words text-ink-muted">
          {messages.exceptionAt(oneLine(exception.function), line)}
        </p>
      ) : null}
      <pre
        data-testid="traceback"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="max-h-56 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs -outline-offset-2"
      >
        <LongText text={traceback} />
      </pre>
      {wob_key === null ? null : (
        <Link to={fixAddress(run.graph, run.id, exception)} className={buttonClasses({ size: "sm" }, "self-start")}>
          {mayWrite ? (
            <>
              <Wrench className="size-3.5" aria-hidden="true" />
              Fix and resume
            </>
          ) : (
            "View Code"
          )}
        </Link>
      )}
      <div
        className={classes(
          "flex flex-col overflow-hidden rounded-md border border-line",
          exception.frames.length > 0 ? "h-80" : null,
        )}
      >
        <CrashView exception={exception} isReader={!mayWrite} nameOf={nameOf} />
      </div>
    </div>
  );
}
