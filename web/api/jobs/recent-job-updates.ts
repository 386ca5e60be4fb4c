import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

const maxKept = 500;

/** Recent job updates of the socket. A fetched answer that was requested before an update is older than the update. */
export function createRecentJobUpdates() {
  const updates = new Map<string, { job: JobSummary; order: number }>();
  let count = 0;

  return {
    add(job: JobSummary): void {
      count += 1;
      updates.delete(job.id);
      updates.set(job.id, { job, order: count });
      const [oldest] = updates.keys();
      if (updates.size > maxKept && oldest !== undefined) updates.delete(oldest);
    },

    /** The answer, with all updates applied that came after it was requested. */
    async applyTo<Answer>(
      answer: Promise<Answer>,
      apply: (answer: Answer, job: JobSummary) => Answer,
    ): Promise<Answer> {
      const requestedAt = count;
      let result: Answer = await answer;
      for (const { job, order } of updates.values()) if (order > requestedAt) result = apply(result, job);
      return result;
    },
  };
}
