import { useEffect, useLayoutEffect, useState } from "react";

import { createDebouncedCommit } from "./debounced-commit.ts";

interface Draft<Value> {
  value: Value;
  change: (value: Value) => void;
  /** Commits at once: on blur, or on Enter. */
  flush: () => void;
  /** Back to what is stored. */
  cancel: () => void;
}

const anything = () => true;

/**
 * What is being typed. It is committed after a pause or on blur; meanwhile what others store does not overwrite it. What
 * cannot be stored, because it is only half typed or wrong, is neither committed nor lost.
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
  // Whoever closes the panel while typing has finished typing.
  useEffect(() => debounced.flush, [debounced]);

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
