import type { Job, JobsResponse } from "@miranda/contract/schemas/processors.ts";

import { newestFirst, placeJob } from "./place-job.ts";

// What a screen has loaded is one list: all living sessions, and the ended ones from the newest to the key `next`. The first
// page is fetched again and again, older pages once.

const endedOf = ({ errored, exited }: JobsResponse): Job[] => [...errored, ...exited];
const livingOf = ({ queued, running }: JobsResponse): Job[] => [...queued, ...running];

/** The loaded sessions after the first page was fetched again. */
export function withFirstPage(loaded: JobsResponse | undefined, fresh: JobsResponse): JobsResponse {
  // Not the oldest session in the answer: an event may have added one whose place is further down.
  const oldest = fresh.next;
  if (!loaded || oldest === null) return fresh;
  const ended = endedOf(loaded);
  // So many sessions have ended since that some belong between the two: these would be missing for ever.
  const leavesGap = !ended.some(({ id }) => id >= oldest);
  // It ended unnoticed, and its place is further down: the pages there must be fetched again.
  const freshIds = new Set([...livingOf(fresh), ...endedOf(fresh)].map(({ id }) => id));
  const hasUnnoticed = livingOf(loaded).some(({ id }) => id < oldest && !freshIds.has(id));
  if (leavesGap || hasUnnoticed) return fresh;
  const isOlder = ({ id }: Job) => id < oldest && !freshIds.has(id);
  const errored = loaded.errored.filter(isOlder);
  const exited = loaded.exited.filter(isOlder);
  if (errored.length + exited.length === 0) return fresh;
  return {
    ...fresh,
    errored: newestFirst([...fresh.errored, ...errored]),
    exited: newestFirst([...fresh.exited, ...exited]),
    next: loaded.next,
  };
}

/** The loaded sessions and the page that starts at their end. */
export function withOlderPage(loaded: JobsResponse, after: string, page: JobsResponse): JobsResponse {
  // The list was started anew while the page was on its way.
  if (loaded.next !== after) return loaded;
  const known = new Set([...livingOf(loaded), ...endedOf(loaded)].map(({ id }) => id));
  const isNew = ({ id }: Job) => !known.has(id);
  const joined = {
    ...loaded,
    errored: newestFirst([...loaded.errored, ...page.errored.filter(isNew)]),
    exited: newestFirst([...loaded.exited, ...page.exited.filter(isNew)]),
    next: page.next,
  };
  return endedOf(page)
    .filter((job) => !isNew(job))
    .reduce(placeJob, joined);
}
