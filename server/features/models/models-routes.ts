import { ModelsResponse } from "@miranda/contract/schemas/models.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Models } from "./models-service.ts";

export function modelRoutes(app: Http, models: Models): void {
  app.get("/api/v3/models", { schema: { tags: ["models"], response: { 200: ModelsResponse } } }, async (request) => ({
    json: await models.list(callerOf(request)),
  }));
}
