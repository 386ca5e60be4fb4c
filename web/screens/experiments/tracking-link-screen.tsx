import { useQuery } from "@tanstack/react-query";
import { Navigate, useLocation, useParams } from "react-router";

import { runAddress, runQuery } from "../../api/runs/runs.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { readTrackingLink } from "./tracking-link.ts";

/** Clients of MLflow print links to its pages. They lead to ours: a run of a workflow, another run, or the experiment. */
export function TrackingLinkScreen() {
  const { projectId = "" } = useParams();
  const { address, runId } = readTrackingLink(projectId, useLocation().hash);
  const { data, isLoading } = useQuery({ ...runQuery(runId ?? ""), enabled: runId !== undefined, retry: false });
  if (isLoading) return <LoadingArea label="Looking for the run" />;
  return <Navigate to={runId !== undefined && data ? runAddress(runId) : address} replace />;
}
