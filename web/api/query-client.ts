import { QueryCache, QueryClient } from "@tanstack/react-query";

import { refresh } from "../limits.ts";

import { HttpError } from "./http.ts";
import { endSession } from "./session.ts";

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      // The session ended somewhere else: signed out in another tab, expired, or the password changed.
      onError: (error) => {
        if (error instanceof HttpError && error.status === 401) endSession(client, error.message);
      },
    }),
    defaultOptions: {
      queries: {
        refetchInterval: refresh.default,
        // The server's own refusals do not change by asking again.
        retry: (failures, error) => failures < 2 && !(error instanceof HttpError && error.status < 500),
      },
    },
  });
  return client;
}
