import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

const most = 500;

/** What was told about sessions lately, for answers that were on their way meanwhile: they are older. */
export function createToldJobs() {
  const told = new Map<string, { job: JobSummary; word: number }>();
  let words = 0;

  return {
    tell(job: JobSummary): void {
      words += 1;
      told.delete(job.id);
      told.set(job.id, { job, word: words });
      const [oldest] = told.keys();
      if (told.size > most && oldest !== undefined) told.delete(oldest);
    },

    /** The answer, with everything that was told since it was asked for. */
    async over<Answer>(answer: Promise<Answer>, take: (answer: Answer, job: JobSummary) => Answer): Promise<Answer> {
      const asked = words;
      let now: Answer = await answer;
      for (const { job, word } of told.values()) if (word > asked) now = take(now, job);
      return now;
    },
  };
}
