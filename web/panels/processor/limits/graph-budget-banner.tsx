import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { putAliveRun, useAliveRun } from "../../../api/runs/budgets.ts";
import { useGraph } from "../../../providers/object-provider.tsx";
import { useProcessor } from "../../../providers/processor/processor-provider.tsx";
import { useRealtime } from "../../../providers/realtime-provider.tsx";
import { BudgetBanner } from "./budget-banner.tsx";

/** In the editor: the run of the open workflow, while it waits. */
export function GraphBudgetBanner() {
  const { graphId } = useProcessor();
  const isViewOnly = useGraph((view) => view.viewOnly);
  const realtime = useRealtime();
  const client = useQueryClient();
  const run = useAliveRun(graphId);
  useEffect(
    () =>
      realtime.on("update[RUN]", ({ run: changed }) => {
        if (changed.graph.id === graphId) putAliveRun(client, changed);
      }),
    [realtime, client, graphId],
  );
  return run ? <BudgetBanner run={run} mayAnswer={!isViewOnly} /> : null;
}
