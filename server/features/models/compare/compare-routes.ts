import {
  CompareModelsQuery,
  ExperimentList,
  ExperimentPlotParams,
  ExperimentsParams,
  ModelComparison,
  PlotQuery,
  RunsPlot,
  TrackedRun,
  TrackedRunParams,
} from "@miranda/contract/schemas/models/compare.ts";
import { ModelParams } from "@miranda/contract/schemas/models/versions.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { sendInSlices } from "../../../platform/http/send-parts.ts";
import type { ModelComparing } from "./compare-service.ts";
import type { RunPlots } from "./plots-service.ts";

const tags = ["models"];

export function compareRoutes(app: Http, comparing: ModelComparing, plots: RunPlots): void {
  app.get(
    "/api/v3/models/compare",
    { schema: { tags, querystring: CompareModelsQuery, response: { 200: ModelComparison } } },
    (request) => comparing.compare(callerOf(request), request.query),
  );

  app.get(
    "/api/v3/models/:modelId/plot",
    { schema: { tags, params: ModelParams, querystring: PlotQuery, response: { 200: RunsPlot } } },
    async (request, reply) =>
      sendInSlices(reply, await plots.ofModel(callerOf(request), request.params.modelId, request.query.limit)),
  );

  app.get(
    "/api/v3/projects/:projectId/experiments",
    { schema: { tags, params: ExperimentsParams, response: { 200: ExperimentList } } },
    (request) => plots.experiments(callerOf(request), request.params.projectId),
  );

  app.get(
    "/api/v3/projects/:projectId/experiments/:number/plot",
    { schema: { tags, params: ExperimentPlotParams, querystring: PlotQuery, response: { 200: RunsPlot } } },
    async (request, reply) => {
      const { projectId, number } = request.params;
      return sendInSlices(reply, await plots.ofExperiment(callerOf(request), projectId, number, request.query.limit));
    },
  );

  app.get(
    "/api/v3/projects/:projectId/experiments/:number/runs/:key",
    { schema: { tags, params: TrackedRunParams, response: { 200: TrackedRun } } },
    async (request, reply) => {
      const { projectId, number, key } = request.params;
      return sendInSlices(reply, await plots.ofRun(callerOf(request), projectId, number, key));
    },
  );
}
