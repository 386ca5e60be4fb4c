import { createStore } from "../store.ts";
import type { Realtime } from "./socket.ts";

const { get, set, watch } = createStore<{ realtime: Realtime | undefined }>({ realtime: undefined });

/** The connection of the open screen, if it has one. Whatever listens everywhere uses it instead of a second one. */
export const pageConnection = {
  find: (): Realtime | undefined => get().realtime,
  watch,

  /** Returns a function that takes it back. */
  offer(realtime: Realtime): () => void {
    set({ realtime });
    return () => {
      if (get().realtime === realtime) set({ realtime: undefined });
    };
  },
};
