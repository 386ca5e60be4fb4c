import { type CodePlace, HttpError } from "../../api/http.ts";

/** Why a run was refused: code that cannot be read, and where. */
export interface RefusedCode extends CodePlace {
  words: string;
}

export type RunRefusal = ReturnType<typeof createRunRefusal>;

/** The last refusal of a run because of its code, until the next one. */
export function createRunRefusal() {
  const watchers = new Set<() => void>();
  let current: RefusedCode | undefined;

  function set(refused: RefusedCode | undefined): void {
    if (current === refused) return;
    current = refused;
    for (const watcher of watchers) watcher();
  }

  return {
    get: (): RefusedCode | undefined => current,
    clear: () => set(undefined),

    /** A refusal because of code is shown where Run is, so it is no error to whoever asked. */
    async during(run: () => Promise<void>): Promise<void> {
      set(undefined);
      try {
        await run();
      } catch (cause) {
        const refused = refusedCode(cause);
        if (!refused || watchers.size === 0) throw cause;
        set(refused);
      }
    },

    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** Under what an error is wrapped in. */
function refusedCode(error: unknown): RefusedCode | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof HttpError && cause.place) return { ...cause.place, words: cause.message };
  return undefined;
}
