import {
  ChannelBody,
  ChannelParams,
  DeployBody,
  Deployment,
  DeploymentPage,
  DeploymentPatch,
  Release,
  ReleaseBody,
  ReleasePage,
  ReleaseProposal,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { JobSummary } from "@miranda/contract/schemas/processors.ts";
import { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Deployments } from "./deployments-service.ts";

const tags = ["deployments"];
const params = z.object({ graphId: Id });
const path = "/api/v3/graphs/:graphId/deployment";
const ProposalQuery = ReleaseBody.pick({ version: true });

/** The sessions that serve a deployment, by its id. */
type SessionsOf = (deploymentId: string) => Promise<JobSummary[]>;

export function deploymentSessionRoutes(app: Http, deployments: Deployments, sessionsOf: SessionsOf): void {
  app.get(`${path}/sessions`, { schema: { tags, params, response: { 200: z.array(JobSummary) } } }, async (request) => {
    const { deployment } = await deployments.forManage(callerOf(request), request.params.graphId, "read");
    return sessionsOf(deployment.id);
  });
}

/** Deployments and their releases, for those who can read the workflow. */
export function deploymentRoutes(app: Http, deployments: Deployments): void {
  app.post(
    path,
    { schema: { tags, params, body: DeployBody, response: { 201: Deployment } } },
    async (request, reply) => {
      const made = await deployments.deploy(callerOf(request), request.params.graphId, request.body);
      return reply.code(201).send(made);
    },
  );

  app.get(path, { schema: { tags, params, response: { 200: Deployment } } }, (request) =>
    deployments.describe(callerOf(request), request.params.graphId),
  );

  app.patch(path, { schema: { tags, params, body: DeploymentPatch, response: { 200: Deployment } } }, (request) =>
    deployments.change(callerOf(request), request.params.graphId, request.body),
  );

  app.delete(path, { schema: { tags, params, response: { 204: z.null() } } }, async (request, reply) => {
    await deployments.remove(callerOf(request), request.params.graphId);
    return reply.code(204).send(null);
  });

  app.get(
    `${path}/proposal`,
    { schema: { tags, params, querystring: ProposalQuery, response: { 200: ReleaseProposal } } },
    (request) => deployments.propose(callerOf(request), request.params.graphId, request.query.version),
  );

  app.get(
    `${path}/releases`,
    { schema: { tags, params, querystring: PageKeyQuery, response: { 200: ReleasePage } } },
    (request) => deployments.listReleases(callerOf(request), request.params.graphId, request.query),
  );

  app.post(
    `${path}/releases`,
    { schema: { tags, params, body: ReleaseBody, response: { 201: Release } } },
    async (request, reply) => {
      const made = await deployments.release(callerOf(request), request.params.graphId, request.body);
      return reply.code(201).send(made);
    },
  );

  app.put(
    `${path}/channels/:channel`,
    { schema: { tags, params: ChannelParams, body: ChannelBody, response: { 200: Deployment } } },
    (request) => {
      const { graphId, channel } = request.params;
      return deployments.serve(callerOf(request), graphId, channel, request.body.release);
    },
  );

  app.get(
    "/api/v3/projects/:projectId/deployments",
    {
      schema: {
        ...{ tags, params: z.object({ projectId: Id }), querystring: PageKeyQuery },
        response: { 200: DeploymentPage },
      },
    },
    (request) => deployments.listOfProject(callerOf(request), request.params.projectId, request.query),
  );
}
