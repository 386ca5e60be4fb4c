import { IdParams, MetadataIdParams } from "@miranda/contract/schemas/forms.ts";
import {
  OwnTemplateList,
  TemplateCode,
  TemplateOffer,
  TemplateUses,
  TemplateVersionList,
  TemplateVersionParams,
} from "@miranda/contract/schemas/library/templates.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { TemplateVersions } from "./template-versions-service.ts";

const tags = ["prefabs and blueprints"];
const params = IdParams;

export function templateVersionRoutes(app: Http, versions: TemplateVersions): void {
  app.get("/api/v3/templates", { schema: { tags, response: { 200: OwnTemplateList } } }, (request) =>
    versions.listOwn(callerOf(request)),
  );

  app.get(
    "/api/v3/templates/:id/versions",
    { schema: { tags, params, response: { 200: TemplateVersionList } } },
    (request) => versions.list(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/templates/:id/versions/:version",
    { schema: { tags, params: TemplateVersionParams, response: { 200: TemplateCode } } },
    (request) => versions.code(callerOf(request), request.params.id, request.params.version),
  );

  app.get("/api/v3/templates/:id/uses", { schema: { tags, params, response: { 200: TemplateUses } } }, (request) =>
    versions.uses(callerOf(request), request.params.id),
  );

  app.get(
    "/api/v3/objects/:id/update",
    { schema: { tags, params: MetadataIdParams, response: { 200: TemplateOffer } } },
    (request) => versions.offer(callerOf(request), request.params.id),
  );
}
