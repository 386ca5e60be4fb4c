import { createStore } from "../../store.ts";

type Show = (node: number) => void;

export type Reveal = ReturnType<typeof createReveal>;

/** Scrolls a node into view, while something that can do so is open: the canvas. */
export function createReveal() {
  const { get, set, watch } = createStore<Show | undefined>(undefined);
  return {
    canShow: () => get() !== undefined,
    show: (node: number) => get()?.(node),
    offer(own: Show): () => void {
      set(own);
      return () => {
        if (get() === own) set(undefined);
      };
    },
    watch,
  };
}
