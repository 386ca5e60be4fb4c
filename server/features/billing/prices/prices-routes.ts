import {
  PriceList,
  PriceParams,
  PricesNow,
  SetPriceBody,
  WithdrawPriceBody,
} from "@miranda/contract/schemas/billing/prices.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Prices } from "./prices-service.ts";

const tags = ["administration"];
const config = { adminOnly: true };

export function priceRoutes(app: Http, prices: Prices): void {
  app.get("/api/v3/prices", { schema: { tags: ["billing"], response: { 200: PricesNow } } }, () => prices.now());

  app.get("/api/v3/admin/prices", { config, schema: { tags, response: { 200: PriceList } } }, () => prices.list());

  app.post(
    "/api/v3/admin/prices",
    { config, schema: { tags, body: SetPriceBody, response: { 200: PriceList } } },
    (request) => prices.set(callerOf(request), request.body),
  );

  app.post(
    "/api/v3/admin/prices/:id/withdraw",
    { config, schema: { tags, params: PriceParams, body: WithdrawPriceBody, response: { 200: PriceList } } },
    (request) => prices.withdraw(callerOf(request), request.params.id, request.body.version),
  );
}
