import type { FastifyInstance } from "fastify";

import type { Metric, Sample } from "./prometheus-text.ts";
import { safely } from "../errors/safely.ts";

// In seconds.
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Durations {
  buckets: number[];
  sum: number;
  count: number;
}

export type RequestMetrics = ReturnType<typeof createRequestMetrics>;

/**
 * Counts the answers of this server. The labels are those of routes, never of addresses: there are as many of them as
 * the program has routes, whatever callers ask for.
 */
export function createRequestMetrics(app: FastifyInstance) {
  const answers = new Map<string, { labels: Record<string, string>; count: number }>();
  const durations = new Map<string, Durations>();
  let open = 0;

  app.addHook("onRequest", async (_request, reply) => {
    open += 1;
    // Also when the caller leaves before the answer.
    reply.raw.once(
      "close",
      safely(() => (open -= 1)),
    );
  });
  app.addHook("onResponse", async (request, reply) => {
    const { method } = request;
    const route = request.routeOptions.url ?? "none";
    const status = String(reply.statusCode);
    const key = `${method} ${route} ${status}`;
    const answer = answers.get(key);
    if (answer) answer.count += 1;
    else answers.set(key, { labels: { method, route, status }, count: 1 });
    observe(route, reply.elapsedTime / 1_000);
  });

  function observe(route: string, seconds: number): void {
    let found = durations.get(route);
    if (!found) durations.set(route, (found = { buckets: bounds.map(() => 0), sum: 0, count: 0 }));
    const at = bounds.findIndex((bound) => seconds <= bound);
    if (at >= 0) found.buckets[at] = (found.buckets[at] ?? 0) + 1;
    found.sum += seconds;
    found.count += 1;
  }

  return {
    read(): Metric[] {
      return [
        {
          name: "miranda_http_requests_total",
          help: "Answers by method, route and status.",
          type: "counter",
          samples: [...answers.values()].map(({ labels, count }) => ({ labels, value: count })),
        },
        {
          name: "miranda_http_request_duration_seconds",
          help: "Time from a request to the end of its answer.",
          type: "histogram",
          samples: [...durations].flatMap(([route, found]) => histogram(route, found)),
        },
        {
          name: "miranda_http_requests_open",
          help: "Requests that have no answer yet.",
          type: "gauge",
          samples: [{ value: open }],
        },
      ];
    },
  };
}

function histogram(route: string, { buckets, sum, count }: Durations): Sample[] {
  let below = 0;
  const counted = bounds.map((bound, at) => {
    below += buckets[at] ?? 0;
    return { suffix: "_bucket", labels: { route, le: String(bound) }, value: below };
  });
  return [
    ...counted,
    { suffix: "_bucket", labels: { route, le: "+Inf" }, value: count },
    { suffix: "_sum", labels: { route }, value: sum },
    { suffix: "_count", labels: { route }, value: count },
  ];
}
