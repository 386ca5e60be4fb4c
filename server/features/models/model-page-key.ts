import type { ModelMetric, ModelSort } from "@miranda/contract/schemas/models/models.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";

// A key has the values of a page's last model by which the next page starts, as base64url of a JSON list. It begins with the
// order: a key of another order would start the next page anywhere.

const Time = z.tuple([z.int().nonnegative(), Id]);
const Metric = z.tuple([z.number().nullable(), Id]);
// PostgreSQL refuses a text with a zero byte.
const Graph = z.union([
  z.tuple([z.string().refine((text) => !text.includes("\u0000")), Id, Id]),
  z.tuple([z.null(), z.null(), Id]),
]);

const timeOrders = { created: "created_key", updated: "updated_key" } as const;

/** The columns of a listed model that keys are made of. */
interface KeyColumns {
  id: string;
  created_key: number;
  updated_key: number;
  graph_key: string | null;
  graph_id: string | null;
}

export function modelPageKey(sort: ModelSort, row: KeyColumns & Record<ModelMetric, number | null>): string {
  return Buffer.from(JSON.stringify([sort, ...valuesOf(sort, row)])).toString("base64url");
}

function valuesOf(sort: ModelSort, row: KeyColumns & Record<ModelMetric, number | null>) {
  if (sort === "graph") return [row.graph_key, row.graph_id, row.id];
  if (sort === "created" || sort === "updated") return [row[timeOrders[sort]], row.id];
  return [row[sort], row.id];
}

export function readTimeKey(sort: ModelSort, key: string | undefined) {
  if (key === undefined) return undefined;
  const [microseconds, id] = read(Time, sort, key);
  return { microseconds, id };
}

export function readMetricKey(sort: ModelSort, key: string | undefined) {
  if (key === undefined) return undefined;
  const [value, id] = read(Metric, sort, key);
  return { value, id };
}

export function readGraphKey(sort: ModelSort, key: string | undefined) {
  if (key === undefined) return undefined;
  const [graphKey, graphId, id] = read(Graph, sort, key);
  return graphKey === null ? { graphId: null, id } : { graphKey, graphId, id };
}

function read<Schema extends z.ZodType>(schema: Schema, sort: ModelSort, key: string): z.infer<Schema> {
  const [order, ...values] = parsed(key);
  const result = schema.safeParse(values);
  if (order !== sort || !result.success) throw new AppError("page_key_unreadable");
  return result.data;
}

function parsed(key: string): unknown[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(key, "base64url").toString("utf8"));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
