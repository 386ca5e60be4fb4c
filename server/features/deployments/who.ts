import type { FastifyRequest } from "fastify";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Who } from "./deployment-access-queries.ts";

/** The header with the secret part of a link. */
const linkHeader = "x-miranda-link";
const linkMax = 200;

/** Who uses a deployment: an account, a token of the deployment, or a visitor who has its link. For routes marked `public`. */
export function whoOf({ caller, headers }: Pick<FastifyRequest, "caller" | "headers">): Who {
  const given = headers[linkHeader];
  const link = typeof given === "string" && given !== "" && given.length <= linkMax ? given : undefined;
  if (!caller && link === undefined) throw new AppError("not_signed_in");
  const { accountId = null, isAdmin = false, deploymentToken, onlyProject = null, onlyDeployment } = caller ?? {};
  return { accountId, isAdmin, link, deploymentToken, onlyProject, onlyDeployment };
}
