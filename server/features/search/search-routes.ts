import { SearchAnswer, SearchQuery } from "@miranda/contract/schemas/search/search.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Search } from "./search-service.ts";

export function searchRoutes(app: Http, search: Search): void {
  app.get(
    "/api/v3/search",
    { schema: { tags: ["search"], querystring: SearchQuery, response: { 200: SearchAnswer } } },
    (request) => search.find(callerOf(request), request.query.query),
  );
}
