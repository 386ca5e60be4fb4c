/** A value, and those who are called when it is set. `watch` and `get` are what React's useSyncExternalStore takes. */
export function createStore<State>(initial: State) {
  const watchers = new Set<() => void>();
  let state = initial;
  return {
    get: () => state,
    set(next: State): void {
      state = next;
      for (const watcher of watchers) watcher();
    },
    /** Answers with the function that stops watching. */
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    isWatched: () => watchers.size > 0,
  };
}
