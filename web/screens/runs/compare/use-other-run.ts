import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { runQuery } from "../../../api/runs/runs.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";

/** The two runs that are compared. The view around has loaded both. */
export function useBothRuns(): { before: RunDetails; after: RunDetails } | undefined {
  const { otherId = "" } = useParams();
  const { run } = useOpenRun();
  const { data } = useQuery(runQuery(otherId));
  return data && { before: data, after: run };
}
