import { notebook as limits } from "@miranda/contract/limits.ts";
import { GraphParams } from "@miranda/contract/schemas/graphs.ts";
import { SplitCode, SplitCodeBody } from "@miranda/contract/schemas/code/notebooks.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { sendInSlices } from "../../platform/http/send-parts.ts";
import type { Notebooks } from "./notebooks-service.ts";

// A character may take six bytes in JSON, and a form encodes the JSON once more.
const bodyLimit = limits.charactersMax * 8;

export function notebookRoutes(app: Http, notebooks: Notebooks): void {
  app.post(
    "/api/v3/graphs/:graphId/split",
    {
      bodyLimit,
      schema: { tags: ["nodes and edges"], params: GraphParams, body: SplitCodeBody, response: { 200: SplitCode } },
    },
    async (request, reply) =>
      sendInSlices(reply, await notebooks.split(callerOf(request), request.params.graphId, request.body)),
  );
}
