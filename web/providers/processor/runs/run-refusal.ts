import { type CodePlace, HttpError } from "../../../api/http.ts";
import { createStore } from "../../../store.ts";

/** Code that cannot be parsed, and where. */
export interface RefusedCode extends CodePlace {
  words: string;
}

export type RunRefusal = ReturnType<typeof createRunRefusal>;

/** Why the last run was refused because of its code, until the next run. */
export function createRunRefusal() {
  const refusal = createStore<RefusedCode | undefined>(undefined);

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
        const refused = refusedCode(cause);
        if (!refused || !refusal.isWatched()) throw cause;
        refusal.set(refused);
      }
    },
  };
}

/** Looks through the causes: the HTTP error may be wrapped. */
function refusedCode(error: unknown): RefusedCode | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HttpError && cause.place) return { ...cause.place, words: cause.message };
  return undefined;
}
