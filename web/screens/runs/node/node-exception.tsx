import { Link } from "react-router";

import { messages } from "@miranda/contract/errors.ts";
import type { RunDetails, RunException } from "@miranda/contract/schemas/runs.ts";

import { graphAddress } from "../../../api/graphs.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { LongText } from "../../../ui/text/long-text.tsx";

interface NodeExceptionProps {
  run: RunDetails;
  exception: RunException;
}

/** What a node raised, and where. */
export function NodeException({ run, exception }: NodeExceptionProps) {
  const { wob_key, line, traceback } = exception;
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
        <Link
          to={`${graphAddress(run.graph.project_id, run.graph.id)}/code/${wob_key}`}
          className={buttonClasses({ size: "sm" }, "self-start")}
        >
          View Code
        </Link>
      )}
    </div>
  );
}
