import {
  InstallationSpending,
  InstallationSpendingFile,
  InstallationSpendingQuery,
} from "@miranda/contract/schemas/billing/installation-spending.ts";
import { Readable } from "node:stream";
import { z } from "zod";

import type { Http } from "../../../platform/http/http-server.ts";
import type { InstallationSpendings } from "./installation-spending-service.ts";

const tags = ["billing"];
const config = { adminOnly: true };
const path = "/api/v3/admin/spending";

export function installationSpendingRoutes(app: Http, spending: InstallationSpendings): void {
  app.get(
    path,
    { config, schema: { tags, querystring: InstallationSpendingQuery, response: { 200: InstallationSpending } } },
    (request) => spending.rows(request.query),
  );

  app.get(
    `${path}.csv`,
    { config, schema: { tags, querystring: InstallationSpendingFile, response: { 200: z.string() } } },
    async (request, reply) => {
      const parts = await spending.csv(request.query);
      return reply
        .header("content-disposition", 'attachment; filename="spending.csv"')
        .type("text/csv; charset=utf-8")
        .send(Readable.from(parts, { objectMode: false }) as never);
    },
  );
}
