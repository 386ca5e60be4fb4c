import { MakeSampleBody, Sample } from "@miranda/contract/schemas/library/samples.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Samples } from "./samples-service.ts";

const tags = ["projects"];
const Nothing = z.object({});

export function sampleRoutes(app: Http, samples: Samples): void {
  app.get("/api/v3/samples", { schema: { tags, response: { 200: z.array(Sample) } } }, (request) =>
    samples.list(callerOf(request)),
  );

  app.post("/api/v3/samples", { schema: { tags, body: MakeSampleBody, response: { 200: Sample } } }, (request) =>
    samples.open(callerOf(request), request.body.sample),
  );

  app.post("/api/v3/samples/opened", { schema: { tags, response: { 200: Nothing } } }, async (request) => {
    await samples.markOpened(callerOf(request));
    return {};
  });
}
