export interface DebouncedCommit<Value> {
  /** Commits after a pause. */
  change(value: Value): void;
  /** Commits a pending value at once: on blur, or on Enter. */
  flush(): void;
  cancel(): void;
  /** Replaces the function that gets committed values. */
  listen(commit: (value: Value) => void): void;
}

export function createDebouncedCommit<Value>(
  delay: number,
  initial: (value: Value) => void = () => undefined,
): DebouncedCommit<Value> {
  let commit = initial;
  let waiting: { value: Value; timer: ReturnType<typeof setTimeout> } | undefined;

  function flush(): void {
    if (!waiting) return;
    const { value, timer } = waiting;
    clearTimeout(timer);
    waiting = undefined;
    commit(value);
  }

  return {
    change(value) {
      clearTimeout(waiting?.timer);
      waiting = { value, timer: setTimeout(flush, delay) };
    },
    flush,
    cancel() {
      clearTimeout(waiting?.timer);
      waiting = undefined;
    },
    listen(next) {
      commit = next;
    },
  };
}
