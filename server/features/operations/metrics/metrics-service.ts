import { statfs } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";

import type { Database } from "../../../platform/database/database.ts";
import type { Metric, Sample } from "../../../platform/metrics/prometheus-text.ts";
import type { RequestMetrics } from "../../../platform/metrics/request-metrics.ts";
import { version } from "../../../platform/version.ts";
import { withTimeout } from "../../../platform/with-timeout.ts";
import type { Parts } from "../health/health-service.ts";
import { createMetricsQueries } from "./metrics-queries.ts";

interface Dependencies {
  database: Database;
  dataFolder: string;
  requests: RequestMetrics;
  parts: Parts;
  sockets: () => number;
}

const freshFor = 2_000;

/** The numbers of this server, and those of the installation, which every server gives alike. */
export function createMetrics({ database, dataFolder, requests, parts, sockets }: Dependencies) {
  const { pool } = database;
  const queries = createMetricsQueries(database.db);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const delays = { sum: 0, count: 0 };
  let known: { at: number; metrics: Promise<Metric[]> } | undefined;

  async function ofInstallation(): Promise<Metric[]> {
    const found = await queries.read().catch(() => undefined);
    const up = gauge("miranda_database_up", "Whether the database answers.", [{ value: found ? 1 : 0 }]);
    if (!found) return [up];
    const sessions = Object.entries(found.sessions).map(([state, value]) => ({ labels: { state }, value }));
    return [
      up,
      gauge("miranda_sessions", "Living processor sessions by state.", sessions),
      single("miranda_queue_length", "Sessions that wait to be started.", found.waiting),
      single("miranda_queue_oldest_wait_seconds", "How long the first of them waits.", found.oldest_wait),
      single("miranda_calls_open", "Calls of deployments that wait or run.", found.calls),
      single(
        "miranda_billing_lag_seconds",
        "The longest time since a running session was charged.",
        Math.max(0, found.billing_lag),
      ),
      gauge(
        "miranda_last_backup_timestamp_seconds",
        "When the last good backup began.",
        found.backup_at === null ? [] : [{ value: found.backup_at }],
      ),
    ];
  }

  async function ofParts(): Promise<Metric[]> {
    const { engine, redis } = parts;
    const [engineUp, redisUp, disk] = await Promise.all([
      isUp(engine.ask),
      redis ? isUp(redis) : undefined,
      statfs(dataFolder),
    ]);
    return [
      gauge("miranda_engine_up", "Whether the engine answers.", [{ labels: { engine: engine.name }, value: engineUp }]),
      gauge("miranda_redis_up", "Whether Redis answers.", redisUp === undefined ? [] : [{ value: redisUp }]),
      single("miranda_disk_free_bytes", "Free room on the disk of the data folder.", disk.bavail * disk.bsize),
      single("miranda_disk_size_bytes", "Size of the disk of the data folder.", disk.blocks * disk.bsize),
    ];
  }

  function ofProcess(): Metric[] {
    const memory = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const quantiles: Sample[] = [0.5, 0.99].map((quantile) => ({
      labels: { quantile: String(quantile) },
      value: delay.percentile(quantile * 100) / 1e9,
    }));
    const longest = delay.max / 1e9;
    // Without a measurement the mean is no number.
    if (delay.count > 0) delays.sum += (delay.mean / 1e9) * delay.count;
    delays.count += delay.count;
    delay.reset();
    return [
      gauge("miranda_build_info", "The version of this server.", [
        { labels: { version, node: process.versions.node }, value: 1 },
      ]),
      single("miranda_sockets", "Open connections of browsers to this server.", sockets()),
      gauge("miranda_database_connections", "Connections of this server to the database.", [
        { labels: { state: "idle" }, value: pool.idleCount },
        { labels: { state: "busy" }, value: pool.totalCount - pool.idleCount },
      ]),
      single("miranda_database_waiting", "Calls that wait for a connection.", pool.waitingCount),
      {
        name: "miranda_database_errors_total",
        help: "Statements that failed, and connections that were lost.",
        type: "counter",
        samples: [{ value: database.errors() }],
      },
      {
        name: "miranda_event_loop_delay_seconds",
        help: "Delay of the event loop: its quantiles since the last reading, its sum and count since the start.",
        type: "summary",
        samples: [...quantiles, { suffix: "_sum", value: delays.sum }, { suffix: "_count", value: delays.count }],
      },
      single("miranda_event_loop_delay_max_seconds", "The longest delay since the last reading.", longest),
      single("process_resident_memory_bytes", "Memory of this server.", memory.rss),
      single("miranda_heap_used_bytes", "JavaScript heap in use.", memory.heapUsed),
      {
        name: "process_cpu_seconds_total",
        help: "Processor time of this server.",
        type: "counter",
        samples: [{ value: (user + system) / 1e6 }],
      },
      single("process_start_time_seconds", "When this server started.", Date.now() / 1_000 - process.uptime()),
    ];
  }

  return {
    async read(): Promise<Metric[]> {
      // Several programs may read at once: the database is asked once.
      if (!known || performance.now() - known.at > freshFor) {
        const metrics = Promise.all([ofInstallation(), ofParts()]).then((parts) => parts.flat());
        known = { at: performance.now(), metrics };
      }
      return [...requests.read(), ...ofProcess(), ...(await known.metrics)];
    },
    close: () => delay.disable(),
  };
}

function gauge(name: string, help: string, samples: Sample[]): Metric {
  return { name, help, type: "gauge", samples };
}

function single(name: string, help: string, value: number): Metric {
  return gauge(name, help, [{ value }]);
}

const timeoutMs = 2_000;

/** 1 or 0, as Prometheus expects it. */
async function isUp(ask: () => Promise<unknown>): Promise<number> {
  return withTimeout(ask(), timeoutMs).then(
    () => 1,
    () => 0,
  );
}
