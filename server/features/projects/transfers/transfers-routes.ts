import { IdParams } from "@miranda/contract/schemas/forms.ts";
import { TransferProjectBody } from "@miranda/contract/schemas/members.ts";
import { TransferAnswer, TransferOffer, TransferOfferList } from "@miranda/contract/schemas/people/transfers.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Transfers } from "./transfers-service.ts";

const tags = ["projects"];
const params = IdParams;
const Nothing = z.object({});

export function transferRoutes(app: Http, transfers: Transfers): void {
  app.post(
    "/api/v3/projects/:id/transfer",
    { schema: { tags, params, body: TransferProjectBody, response: { 200: TransferAnswer } } },
    (request) => transfers.start(callerOf(request), request.params.id, request.body.user),
  );

  app.get("/api/v3/projects/:id/transfer", { schema: { tags, params, response: { 200: TransferOffer } } }, (request) =>
    transfers.get(callerOf(request), request.params.id),
  );

  app.delete(
    "/api/v3/projects/:id/transfer",
    { schema: { tags, params, response: { 200: Nothing } } },
    async (request) => {
      await transfers.end(callerOf(request), request.params.id);
      return {};
    },
  );

  app.get("/api/v3/transfers", { schema: { tags, response: { 200: TransferOfferList } } }, (request) =>
    transfers.listOwn(callerOf(request)),
  );

  app.post(
    "/api/v3/projects/:id/transfer/accept",
    // A project has costs: a token must not take one on.
    { config: { sessionOnly: true }, schema: { tags, params, response: { 200: Nothing } } },
    async (request) => {
      await transfers.accept(callerOf(request), request.params.id);
      return {};
    },
  );
}
