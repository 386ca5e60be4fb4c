import { useQuery } from "@tanstack/react-query";
import { Wrench } from "lucide-react";
import { Link } from "react-router";

import type { ExceptionInfo } from "@miranda/contract/schemas/processors.ts";
import type { RunException } from "@miranda/contract/schemas/runs.ts";

import { exceptionsQuery, fixAddress } from "../../api/runs/crashes.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { CrashView } from "./crash-view.tsx";

/** The stored exception that an event reported. Undefined until it is read, and for readers. */
function useStoredException({
  wobId,
  line,
  traceback,
}: ExceptionInfo): { runId: string; exception: RunException } | undefined {
  const isViewOnly = useGraph((view) => view.viewOnly);
  const runId = useProcessorState((state) => state.job?.last_run?.id);
  const { data } = useQuery(exceptionsQuery(isViewOnly ? undefined : runId, `${wobId} ${line} ${traceback.length}`));
  const exception = data?.findLast((one) => one.wob_key === wobId && one.line === line);
  return runId === undefined || !exception ? undefined : { runId, exception };
}

/** Opens the code at the line of the exception, with its variables beside it. */
export function FixAndResume({ exception }: { exception: ExceptionInfo }) {
  const { projectId, graphId, store } = useProcessor();
  const stored = useStoredException(exception);
  if (!stored || stored.exception.line === 0) return null;
  return (
    <Link
      to={fixAddress({ id: graphId, project_id: projectId }, stored.runId, stored.exception)}
      // Its values are beside the code from then on.
      onClick={store.dismissException}
      className={buttonClasses({ size: "sm" })}
    >
      <Wrench className="size-3.5" aria-hidden="true" />
      Fix and resume
    </Link>
  );
}

/** The variables of an exception in the editor. Nothing where there are none. */
export function FailedVariables({ exception }: { exception: ExceptionInfo }) {
  const stored = useStoredException(exception);
  const nodes = useGraph((view) => view.resolved.content.nodes);
  if (!stored || stored.exception.frames.length === 0) return null;
  const { runId } = stored;
  return (
    <div
      data-variables=""
      className="flex min-h-28 min-w-0 flex-[3] flex-col border-line @max-4xl:border-t @4xl:border-l"
    >
      <CrashView
        key={`${runId} ${stored.exception.number}`}
        exception={stored.exception}
        isReader={false}
        nameOf={(node) => nodes[node]?.name}
      />
    </div>
  );
}
