import { Id } from "@miranda/contract/schemas/forms.ts";
import {
  LedgerPage,
  LedgerQuery,
  SamplePage,
  SamplesQuery,
  SpendingDays,
  SpendingDaysQuery,
  SpendingOfSession,
  SpendingParts,
  SpendingPartsQuery,
  SpendingQuery,
  SpendingSummary,
} from "@miranda/contract/schemas/billing/spending.ts";
import { Readable } from "node:stream";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Spending } from "./spending-service.ts";

const tags = ["billing"];

/** The same routes for the caller's account and for a project. */
export function spendingRoutes(app: Http, spending: Spending): void {
  for (const path of ["/api/v3/billing", "/api/v3/projects/:projectId/billing"]) {
    const params = z.object({ projectId: Id.optional() });
    const ofSession = params.extend({ jobId: Id });

    app.get(
      path,
      { schema: { tags, params, querystring: SpendingQuery, response: { 200: SpendingSummary } } },
      (request) => spending.summary(callerOf(request), request.params.projectId, request.query.zone),
    );

    app.get(
      `${path}/days`,
      { schema: { tags, params, querystring: SpendingDaysQuery, response: { 200: SpendingDays } } },
      (request) => spending.days(callerOf(request), request.params.projectId, request.query),
    );

    app.get(
      `${path}/parts`,
      { schema: { tags, params, querystring: SpendingPartsQuery, response: { 200: SpendingParts } } },
      (request) => spending.parts(callerOf(request), request.params.projectId, request.query),
    );

    app.get(
      `${path}/ledger`,
      { schema: { tags, params, querystring: LedgerQuery, response: { 200: LedgerPage } } },
      (request) => spending.ledger(callerOf(request), request.params.projectId, request.query),
    );

    app.get(
      `${path}/ledger.csv`,
      { schema: { tags, params, querystring: LedgerQuery, response: { 200: z.string() } } },
      async (request, reply) => {
        const parts = await spending.csv(callerOf(request), request.params.projectId, request.query);
        return reply
          .header("content-disposition", 'attachment; filename="ledger.csv"')
          .type("text/csv; charset=utf-8")
          .send(Readable.from(parts, { objectMode: false }) as never);
      },
    );

    app.get(
      `${path}/sessions/:jobId`,
      { schema: { tags, params: ofSession, response: { 200: SpendingOfSession } } },
      (request) => spending.session(callerOf(request), request.params.projectId, request.params.jobId),
    );

    app.get(
      `${path}/sessions/:jobId/samples`,
      { schema: { tags, params: ofSession, querystring: SamplesQuery, response: { 200: SamplePage } } },
      (request) => spending.samples(callerOf(request), request.params.projectId, request.params.jobId, request.query),
    );
  }
}
