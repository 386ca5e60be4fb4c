import { RealtimeCounts } from "@miranda/contract/schemas/realtime.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Realtime } from "./realtime-service.ts";

export function realtimeRoutes(app: Http, realtime: Realtime): void {
  app.get("/api/v3/realtime", { schema: { tags: ["realtime"], response: { 200: RealtimeCounts } } }, async (request) =>
    realtime.counts(callerOf(request)),
  );
}
