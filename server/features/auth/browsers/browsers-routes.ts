import { SignedInBrowser } from "@miranda/contract/schemas/auth.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Browsers } from "./browsers-service.ts";

const tags = ["session"];
const config = { sessionOnly: true };

export function browserRoutes(app: Http, browsers: Browsers): void {
  app.get(
    "/api/v3/auth/browsers",
    { config, schema: { tags, response: { 200: z.array(SignedInBrowser) } } },
    (request) => browsers.list(callerOf(request)),
  );

  app.delete(
    "/api/v3/auth/browsers/:id",
    { config, schema: { tags, params: IdParams, response: { 200: z.object({}) } } },
    async (request) => {
      await browsers.end(callerOf(request), request.params.id);
      return {};
    },
  );

  app.delete(
    "/api/v3/auth/browsers",
    { config, schema: { tags, response: { 200: z.object({}) } } },
    async (request) => {
      await browsers.endOthers(callerOf(request));
      return {};
    },
  );
}
