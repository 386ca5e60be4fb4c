import { useEffect, useState } from "react";

import { useSession } from "../../../providers/object-provider.tsx";

/** Others may change the workflow many times a second. Without a pause, everything would be read again each time. */
const pause = 1_000;

/** The revision of the workflow as it is. When it grows, what was read about `now` is old. It follows with a pause. */
export function useRevision(): number {
  const { store } = useSession();
  const [revision, setRevision] = useState(store.revision);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      timer = undefined;
      setRevision(store.revision());
    };
    const stop = store.watch(() => {
      timer ??= setTimeout(follow, pause);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [store]);
  return revision;
}
