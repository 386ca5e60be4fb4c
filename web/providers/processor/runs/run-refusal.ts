import type { RefusedPlace } from "@miranda/contract/error-headers.ts";

import { HttpError } from "../../../api/http.ts";
import { createStore } from "../../../store.ts";

/** What keeps a run from starting: code that cannot be parsed, or a field that cannot be read. */
export type RefusedRun = RefusedPlace & { words: string };

export type RunRefusal = ReturnType<typeof createRunRefusal>;

/** Why the last run was refused because of its code or its fields, until the next run. */
export function createRunRefusal() {
  const refusal = createStore<RefusedRun | undefined>(undefined);

  return {
    get: refusal.get,
    watch: refusal.watch,
    clear: () => refusal.set(undefined),

    /** Run shows such a refusal itself, so the caller gets no error, unless nobody watches. */
    async during(run: () => Promise<void>): Promise<void> {
      refusal.set(undefined);
      try {
        await run();
      } catch (cause) {
        const refused = refusedRun(cause);
        if (!refused || !refusal.isWatched()) throw cause;
        refusal.set(refused);
      }
    },
  };
}

/** Looks through the causes: the HTTP error may be wrapped. */
function refusedRun(error: unknown): RefusedRun | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HttpError && cause.place) return { ...cause.place, words: cause.message };
  return undefined;
}
