import { useEffect, useLayoutEffect, useState } from "react";

import { createDebouncedCommit } from "./debounced-commit.ts";

interface Draft<Value> {
  value: Value;
  change: (value: Value) => void;
  /** Commits at once: on blur, or on Enter. */
  flush: () => void;
  /** Resets to the stored value. */
  cancel: () => void;
}

const anything = () => true;

const flushes = new Set<() => void>();

/** Commits what is typed in any field now, without waiting for a pause. */
export function flushDrafts(): void {
  for (const flush of flushes) flush();
}

/**
 * The text being typed. It is committed after a pause or on blur; until then, changes by other people do not overwrite
 * it. Invalid or half-typed text is neither committed nor lost.
 */
export function useDraft<Value>(
  stored: Value,
  commit: (value: Value) => void,
  delay: number,
  isStorable: (value: Value) => boolean = anything,
): Draft<Value> {
  const [draft, setDraft] = useState<{ value: Value } | null>(null);
  const [debounced] = useState(() => createDebouncedCommit<Value>(delay));
  useLayoutEffect(() => {
    debounced.listen((value) => {
      if (!isStorable(value)) return;
      commit(value);
      setDraft(null);
    });
  });
  useEffect(() => {
    flushes.add(debounced.flush);
    return () => {
      flushes.delete(debounced.flush);
      // Closing the panel while typing commits the text.
      debounced.flush();
    };
  }, [debounced]);

  return {
    value: draft ? draft.value : stored,
    change(value) {
      setDraft({ value });
      debounced.change(value);
    },
    flush: debounced.flush,
    cancel() {
      debounced.cancel();
      setDraft(null);
    },
  };
}
