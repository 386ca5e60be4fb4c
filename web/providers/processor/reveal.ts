export type Reveal = ReturnType<typeof createReveal>;

/** Brings a node into sight, where there is something that can: the canvas, while it is open. */
export function createReveal() {
  const watchers = new Set<() => void>();
  let show: ((node: number) => void) | undefined;
  return {
    canShow: () => show !== undefined,
    show: (node: number) => show?.(node),
    offer(own: (node: number) => void): () => void {
      show = own;
      for (const watcher of watchers) watcher();
      return () => {
        if (show === own) show = undefined;
        for (const watcher of watchers) watcher();
      };
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
