import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";

const closedAs = "logClosed";

/** Somebody opened the log or closed it by hand: for as long as this tab lives, a run respects that. */
export function rememberLog(isOpen: boolean): void {
  try {
    if (isOpen) sessionStorage.removeItem(closedAs);
    else sessionStorage.setItem(closedAs, "true");
  } catch {
    return;
  }
}

/** A run opens the log, unless it was closed on purpose. */
export function useLogOnRun(open: () => void): void {
  const { clock } = useProcessor();
  const began = useSyncExternalStore(clock.watch, () => {
    const time = clock.get();
    return time?.ended === undefined ? time?.began : undefined;
  });
  const onBegin = useEffectEvent(open);
  useEffect(() => {
    if (began !== undefined && !wasClosed()) onBegin();
  }, [began]);
}

function wasClosed(): boolean {
  try {
    return sessionStorage.getItem(closedAs) !== null;
  } catch {
    return false;
  }
}
