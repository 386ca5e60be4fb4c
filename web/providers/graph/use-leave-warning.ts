import { useEffect } from "react";

import { flushDrafts } from "../../ui/form/use-draft.ts";
import type { GraphSession } from "./graph-session.ts";

/** Lets the browser ask before the page is closed or loaded again while changes are on their way to the server. */
export function useLeaveWarning(session: Pick<GraphSession, "isSending">): void {
  useEffect(() => {
    const onLeave = (event: BeforeUnloadEvent) => {
      flushDrafts();
      if (session.isSending()) event.preventDefault();
    };
    addEventListener("beforeunload", onLeave);
    return () => removeEventListener("beforeunload", onLeave);
  }, [session]);
}
