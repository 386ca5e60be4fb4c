import {
  AdminStorage,
  AdminStorageQuery,
  Freeable,
  FreeableQuery,
  Freed,
  FreeStorageBody,
  StorageParams,
} from "@miranda/contract/schemas/admin/storage.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Storage } from "./storage-service.ts";

const tags = ["administration"];
const config = { adminOnly: true };

export function storageRoutes(app: Http, storage: Storage): void {
  app.get(
    "/api/v3/admin/storage",
    { config, schema: { tags, querystring: AdminStorageQuery, response: { 200: AdminStorage } } },
    (request) => storage.list(request.query),
  );

  app.get(
    "/api/v3/admin/storage/:id",
    { config, schema: { tags, params: StorageParams, querystring: FreeableQuery, response: { 200: Freeable } } },
    (request) => storage.freeable(request.params.id, request.query.days),
  );

  app.post(
    "/api/v3/admin/storage/:id/free",
    { config, schema: { tags, params: StorageParams, body: FreeStorageBody, response: { 200: Freed } } },
    (request) => storage.free(callerOf(request), request.params.id, request.body),
  );
}
