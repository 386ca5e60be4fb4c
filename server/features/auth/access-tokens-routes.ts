import { AccessToken, AccessTokenBody, AccessTokenResponse } from "@miranda/contract/schemas/auth.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import { z } from "zod";

import { type Caller, callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { visitorOf } from "../../platform/http/visitor.ts";
import type { WantedToken } from "./access-tokens-service.ts";
import type { Auth } from "./auth-service.ts";

const tags = ["session"];

/** Each answers with its name, and refuses when the caller may not use it. */
interface Places {
  nameOfProject(caller: Caller, id: string): Promise<string>;
  nameOfDeployment(caller: Caller, id: string): Promise<string>;
}

export function accessTokenRoutes(app: Http, auth: Auth, places: Places): void {
  async function wantedBy(caller: Caller, body: AccessTokenBody): Promise<WantedToken> {
    const { name, scope, project_id = null, deployment_id = null, expires_days = null } = body;
    if (project_id !== null) {
      const limited_to = await places.nameOfProject(caller, project_id);
      return { name, scope: scope ?? "write", project_id, deployment_id, limited_to, expires_days };
    }
    if (deployment_id !== null) {
      const limited_to = await places.nameOfDeployment(caller, deployment_id);
      return { name, scope: scope ?? "run", project_id, deployment_id, limited_to, expires_days };
    }
    return { name, scope: scope ?? "all", project_id, deployment_id, limited_to: "", expires_days };
  }

  app.get(
    "/api/v3/auth/access_tokens",
    { schema: { tags, querystring: PageKeyQuery, response: { 200: z.array(AccessToken) } } },
    (request) => auth.listTokens(callerOf(request), request.query),
  );

  app.post(
    "/api/v3/auth/access_tokens",
    { config: { sessionOnly: true }, schema: { tags, body: AccessTokenBody, response: { 200: AccessTokenResponse } } },
    async (request) => {
      const caller = callerOf(request);
      const wanted = await wantedBy(caller, request.body);
      return { token: await auth.createToken(caller, request.body.web_password, wanted, visitorOf(request)) };
    },
  );

  app.delete(
    "/api/v3/auth/access_tokens/:id",
    { config: { sessionOnly: true }, schema: { tags, params: IdParams, response: { 200: z.object({}) } } },
    async (request) => {
      await auth.revokeToken(callerOf(request), request.params.id);
      return {};
    },
  );
}
