import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";

const closedAs = "logClosed";

/** Remembers for this tab that the person opened or closed the log. A run respects that. */
export function rememberLog(isOpen: boolean): void {
  try {
    if (isOpen) sessionStorage.removeItem(closedAs);
    else sessionStorage.setItem(closedAs, "true");
  } catch {
    return;
  }
}

/** Opens the log when a run starts, unless the person has closed it. */
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
