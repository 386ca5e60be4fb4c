import { ModelsQuery, ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import { totalHeader } from "@miranda/contract/list-total.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Models } from "./models-service.ts";

export function modelRoutes(app: Http, models: Models): void {
  app.get(
    "/api/v3/models",
    {
      config: { revalidated: true },
      schema: { tags: ["models"], querystring: ModelsQuery, response: { 200: ModelsResponse } },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      // Counted for the first page only: the others show the same list.
      const [page, total] = await Promise.all([
        models.list(caller, request.query),
        request.query.after === undefined ? models.count(caller, request.query) : undefined,
      ]);
      if (total !== undefined) void reply.header(totalHeader, total);
      return page;
    },
  );
}
