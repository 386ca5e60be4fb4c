import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";

import { sessionQuery } from "../api/account/session.ts";
import { pageConnection } from "../api/page-connection.ts";
import { createRealtime, type Realtime } from "../api/socket.ts";

const RealtimeContext = createContext<Realtime | undefined>(undefined);

/** One connection for everything that is open under it. */
export function RealtimeProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [realtime] = useState(createRealtime);

  useEffect(() => {
    realtime.open();
    // Signed out somewhere else: asking who we are leads to the sign-in page.
    const takeBack = pageConnection.offer(realtime);
    const stop = realtime.on("ended", () => void client.refetchQueries(sessionQuery));
    return () => {
      stop();
      takeBack();
      realtime.close();
    };
  }, [realtime, client]);

  return <RealtimeContext value={realtime}>{children}</RealtimeContext>;
}

export function useRealtime(): Realtime {
  const realtime = useContext(RealtimeContext);
  if (!realtime) throw new Error("This needs a RealtimeProvider around it.");
  return realtime;
}

/** Connected means that the server has sent `ready`. */
export function useConnected(): boolean {
  const realtime = useRealtime();
  return useSyncExternalStore(realtime.watch, realtime.isConnected);
}

/** Why the server does not let this tab connect, in its own words. */
export function useConnectionRefusal(): string | undefined {
  const realtime = useRealtime();
  return useSyncExternalStore(realtime.watch, realtime.refusal);
}
