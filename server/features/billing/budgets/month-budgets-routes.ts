import { MonthBudgetAnswer, PutMonthBudgetBody } from "@miranda/contract/schemas/billing/budgets.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { MonthBudgets } from "./month-budgets-service.ts";

const tags = ["billing"];
const params = z.object({ projectId: Id.optional() });

/** The same routes for the caller's account and for a project. */
export function monthBudgetRoutes(app: Http, budgets: MonthBudgets): void {
  for (const path of ["/api/v3/billing/budget", "/api/v3/projects/:projectId/billing/budget"]) {
    app.get(path, { schema: { tags, params, response: { 200: MonthBudgetAnswer } } }, async (request) => ({
      budget: await budgets.get(callerOf(request), request.params.projectId),
    }));

    app.put(
      path,
      { schema: { tags, params, body: PutMonthBudgetBody, response: { 200: MonthBudgetAnswer } } },
      async (request) => ({ budget: await budgets.save(callerOf(request), request.params.projectId, request.body) }),
    );

    app.delete(path, { schema: { tags, params, response: { 200: z.object({}) } } }, async (request) => {
      await budgets.remove(callerOf(request), request.params.projectId);
      return {};
    });
  }
}
