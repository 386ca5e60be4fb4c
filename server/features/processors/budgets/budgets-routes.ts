import { ProjectBudgets, PutProjectBudgetsBody } from "@miranda/contract/schemas/news/budgets.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { RaiseBudgetBody, RunParams } from "@miranda/contract/schemas/runs.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { RunBudgets } from "./run-budgets.ts";

const tags = ["budgets"];
const params = z.object({ projectId: Id });

export function budgetRoutes(app: Http, budgets: RunBudgets): void {
  app.get(
    "/api/v3/projects/:projectId/budgets",
    { schema: { tags, params, response: { 200: ProjectBudgets } } },
    (request) => budgets.ofProject(callerOf(request), request.params.projectId),
  );

  app.put(
    "/api/v3/projects/:projectId/budgets",
    { schema: { tags, params, body: PutProjectBudgetsBody, response: { 200: ProjectBudgets } } },
    (request) => budgets.save(callerOf(request), request.params.projectId, request.body),
  );

  app.post(
    "/api/v3/runs/:runId/budget",
    { schema: { tags, params: RunParams, body: RaiseBudgetBody, response: { 200: z.object({}) } } },
    async (request) => {
      await budgets.raise(callerOf(request), request.params.runId, request.body.by);
      return {};
    },
  );
}
