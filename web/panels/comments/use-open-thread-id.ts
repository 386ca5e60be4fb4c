import { useSyncExternalStore } from "react";

import { useComments } from "../../providers/comments/comments-provider.tsx";

const nothing = () => () => undefined;

/** The thread that is open. Null: none, or there are no comments here. */
export function useOpenThreadId(): string | null {
  const store = useComments()?.store;
  return useSyncExternalStore(store?.watch ?? nothing, () =>
    store?.get().isOpen === true ? store.get().threadId : null,
  );
}
