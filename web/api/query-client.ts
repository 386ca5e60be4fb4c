import { QueryCache, QueryClient } from "@tanstack/react-query";

import { refresh } from "../limits.ts";

import { HttpError, isRefusedWith } from "./http.ts";
import { endSession, sessionQuery } from "./account/session.ts";

/** Asking again does not change a refusal. */
const mayPass = (error: unknown): boolean => !(error instanceof HttpError && error.status < 500);

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      // The session ended elsewhere: signed out in another tab, expired, or the password changed.
      onError: (error) => {
        if (error instanceof HttpError && error.status === 401) endSession(client, error.message);
        // An administrator asks for a second factor from now on.
        if (isRefusedWith(error, "second_factor_needed"))
          void client.refetchQueries({ queryKey: sessionQuery.queryKey });
      },
    }),
    defaultOptions: {
      queries: {
        refetchInterval: refresh.default,
        retry: (failures, error) => failures < (isRefusedWith(error, "server_busy") ? 8 : 2) && mayPass(error),
      },
    },
  });
  return client;
}
