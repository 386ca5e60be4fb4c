export interface DebouncedCommit<Value> {
  /** Waits for a pause before it commits. */
  change(value: Value): void;
  /** Commits at once what still waits. */
  flush(): void;
  cancel(): void;
  isWaiting(): boolean;
}

export function createDebouncedCommit<Value>(delay: number, commit: (value: Value) => void): DebouncedCommit<Value> {
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
    isWaiting: () => waiting !== undefined,
  };
}
