import { useSyncExternalStore } from "react";

import { useSession } from "../../../providers/object-provider.tsx";

/** The revision of the workflow as it is. What was read about `now` is old when it grows. */
export function useRevision(): number {
  const { store } = useSession();
  return useSyncExternalStore(store.watch, store.revision);
}
