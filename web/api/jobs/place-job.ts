import type { Job, JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";
import { type SessionGroup, sessionGroupOf, sessionGroups } from "@miranda/contract/sessions.ts";

/** The lists with this session updated, in the group of its state. */
export function placeJob(jobs: JobsResponse, job: JobSummary): JobsResponse {
  const known = findJob(jobs, job.id);
  if (known && job.revision < known.revision) return jobs;
  const group = sessionGroupOf(job.workflow_state);
  const at = jobs[group].findIndex(({ id }) => id === job.id);
  if (at !== -1) {
    // Keep its place in the list: otherwise the list would jump with every usage sample.
    return { ...jobs, [group]: jobs[group].map((known, index) => (index === at ? { ...known, ...job } : known)) };
  }
  const placed: Job = { ...job, logs: known?.logs ?? [] };
  const others = (name: SessionGroup) => jobs[name].filter(({ id }) => id !== job.id);
  return {
    ...jobs,
    queued: others("queued"),
    running: others("running"),
    errored: others("errored"),
    exited: others("exited"),
    [group]: newestFirst([placed, ...others(group)]),
  };
}

function findJob(jobs: JobsResponse, id: string): Job | undefined {
  for (const group of sessionGroups) {
    const found = jobs[group].find((job) => job.id === id);
    if (found) return found;
  }
  return undefined;
}

export function newestFirst<Session extends { time_created: string }>(sessions: readonly Session[]): Session[] {
  // The times have one format, so they can be compared as texts. Thousands of dates would be slow to read.
  return sessions.toSorted((one, other) =>
    one.time_created < other.time_created ? 1 : one.time_created > other.time_created ? -1 : 0,
  );
}
