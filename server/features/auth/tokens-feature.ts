import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Deployments } from "../deployments/deployments-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { accessTokenRoutes } from "./access-tokens-routes.ts";
import type { Auth } from "./auth-service.ts";
import { browserRoutes } from "./browsers/browsers-routes.ts";
import { createBrowsers } from "./browsers/browsers-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  auth: Auth;
  projects: Pick<Projects, "getProject">;
  deployments: Pick<Deployments, "forView">;
}

/** Access tokens and signed-in browsers of a person. */
export function installTokens({ http, db, auth, projects, deployments }: Dependencies): void {
  browserRoutes(http, createBrowsers(db));
  accessTokenRoutes(http, auth, {
    // Without an administrator's rights, which such a token does not have.
    nameOfProject: async (caller, id) => (await projects.getProject({ ...caller, isAdmin: false }, id, "read")).name,
    nameOfDeployment: async (caller, id) =>
      (await deployments.forView({ ...caller, isAdmin: false }, id)).deployment.title,
  });
}
