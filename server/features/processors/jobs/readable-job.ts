import type { Caller } from "../../../platform/http/caller.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { JobRow } from "./jobs-queries.ts";

/**
 * A session, and whether its log and its outputs are kept from the caller. One that serves calls has those of many callers,
 * so they are for those who may change the workflow.
 */
export function createReadableJob(
  graphs: Pick<Graphs, "getGraph">,
  getJob: (caller: Caller, id: string, right: "read") => Promise<JobRow>,
) {
  return async (caller: Caller, id: string): Promise<{ job: JobRow; isPrivate: boolean }> => {
    const job = await getJob(caller, id, "read");
    if (job.deployment_id === null || job.graph_id === null) return { job, isPrivate: false };
    const { access } = await graphs.getGraph(caller, job.graph_id, "read");
    return { job, isPrivate: access === "viewer" };
  };
}
