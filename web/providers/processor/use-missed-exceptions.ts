import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";

import { canCreate } from "@miranda/contract/processor.ts";

import { exceptionsQuery } from "../../api/runs/crashes.ts";
import { logWarning } from "../../log.ts";
import { readStored, writeStored } from "../../storage.ts";
import type { ProcessorStore } from "./processor-store.ts";

const closedKey = (graphId: string) => `closedException:${graphId}`;

/** Shows the exceptions of the last run to people who open or reload the page after it, until they close them. */
export function useMissedExceptions(graphId: string, store: ProcessorStore): void {
  const client = useQueryClient();
  const failed = useSyncExternalStore(store.watch, () => {
    const { job } = store.get();
    const isOver = job?.last_run?.state === "failed" && !canCreate(job.workflow_state);
    return isOver ? job.last_run?.id : undefined;
  });
  useEffect(() => {
    // A person who came to fix an exception already sees it beside the code.
    const isOpen = new URLSearchParams(location.search).has("crash");
    if (failed === undefined || isOpen || readStored(closedKey(graphId)) === failed) return;
    client
      .fetchQuery(exceptionsQuery(failed))
      .then((exceptions) => {
        if (store.get().job?.last_run?.id === failed) store.recall(exceptions);
      })
      .catch((cause: unknown) => logWarning("The exceptions of the last run could not be read.", cause));
  }, [client, graphId, store, failed]);

  useEffect(() => {
    let wasShown = false;
    return store.watch(() => {
      const { job, debugging } = store.get();
      const isShown = debugging.exception !== undefined;
      if (wasShown && !isShown && job?.last_run) writeStored(closedKey(graphId), job.last_run.id);
      wasShown = isShown;
    });
  }, [graphId, store]);
}
