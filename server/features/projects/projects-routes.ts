import { Id, MetadataId } from "@miranda/contract/schemas/forms.ts";
import {
  BrowseProjectsQuery,
  CreateProjectBody,
  DeletePreview,
  DeleteQuery,
  KnowledgeObjectList,
  PageQuery,
  PatchProjectBody,
  Project,
  ProjectDetails,
  ProjectList,
} from "@miranda/contract/schemas/projects.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { withTotal } from "../../platform/http/list-total.ts";
import type { Projects } from "./projects-service.ts";

const tags = ["projects"];
const params = z.object({ id: Id });
const Nothing = z.object({});

export function projectRoutes(app: Http, projects: Projects): void {
  app.get(
    "/api/v3/projects/browse",
    {
      config: { revalidated: true },
      schema: { tags, querystring: BrowseProjectsQuery, response: { 200: ProjectList } },
    },
    async (request, reply) => withTotal(reply, await projects.browse(callerOf(request), request.query)),
  );

  app.get(
    "/api/v3/projects",
    { config: { revalidated: true }, schema: { tags, querystring: PageQuery, response: { 200: ProjectList } } },
    async (request, reply) => withTotal(reply, await projects.listOwned(callerOf(request), request.query)),
  );

  app.get(
    "/api/v3/projects/shared",
    { config: { revalidated: true }, schema: { tags, querystring: PageQuery, response: { 200: ProjectList } } },
    async (request, reply) => withTotal(reply, await projects.listShared(callerOf(request), request.query)),
  );

  app.get(
    "/api/v3/projects/following",
    { config: { revalidated: true }, schema: { tags, querystring: PageQuery, response: { 200: ProjectList } } },
    async (request, reply) => withTotal(reply, await projects.listFollowed(callerOf(request), request.query)),
  );

  app.get(
    "/api/v3/projects/:id",
    { schema: { tags, params, response: { 200: ProjectDetails } } },
    async (request, reply) => {
      const { project, ...workflows } = await projects.details(callerOf(request), request.params.id);
      return { project, knowledge_objects: withTotal(reply, workflows) };
    },
  );

  app.get(
    "/api/v3/projects/:id/graphs",
    { schema: { tags, params, querystring: PageQuery, response: { 200: KnowledgeObjectList } } },
    async (request, reply) =>
      withTotal(reply, await projects.listWorkflows(callerOf(request), request.params.id, request.query)),
  );

  app.post(
    "/api/v3/projects",
    {
      schema: { tags, body: CreateProjectBody, response: { 200: z.object({ id: Id, metadata_id: MetadataId }) } },
    },
    (request) => projects.create(callerOf(request), request.body),
  );

  app.patch(
    "/api/v3/projects/:id",
    { schema: { tags, params, body: PatchProjectBody, response: { 200: Project } } },
    (request) => projects.change(callerOf(request), request.params.id, request.body),
  );

  app.delete(
    "/api/v3/projects/:id",
    { schema: { tags, params, querystring: DeleteQuery, response: { 200: z.union([DeletePreview, Nothing]) } } },
    async (request) => {
      if (request.query.preview) return projects.preview(callerOf(request), request.params.id);
      await projects.remove(callerOf(request), request.params.id);
      return {};
    },
  );
}
