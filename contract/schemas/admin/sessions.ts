import { z } from "zod";

import { adminLists as limits } from "../../admin-limits.ts";
import { workflowStates } from "../../processor.ts";
import { Credits } from "../billing/amounts.ts";
import { Id, numberBetween, optionalText, requiredText } from "../forms.ts";

// What runs and waits in the whole installation: names and figures, never code, logs or outputs.

/** One that runs, or is about to. */
export const AdminSession = z.object({
  id: z.string(),
  workflow: z.string(),
  project: z.object({ id: z.string(), name: z.string(), is_private: z.boolean() }).nullable(),
  /** Who started it. */
  person: z.string(),
  /** Who pays: the person, or the purse of the project. */
  payer: z.enum(["person", "purse"]),
  /** Whether it serves calls of a deployment. */
  serves_calls: z.boolean(),
  engine: z.string(),
  /** Null until it is known. */
  machine: z.string().nullable(),
  state: z.enum(workflowStates),
  state_since: z.string(),
  time_created: z.string(),
  current_cpu: z.number(),
  cpu_capacity: z.number(),
  current_ram_gb: z.number(),
  ram_gb_capacity: z.number(),
  cost: Credits,
});
export type AdminSession = z.infer<typeof AdminSession>;

export const AdminSessionPage = z.object({
  sessions: z.array(AdminSession),
  /** The `after` of the next page; null at the end. */
  next: z.string().nullable(),
  /** Of all, whatever was searched for. */
  running: z.number(),
  queued: z.number(),
  /** How many sessions may run at once. */
  slots: z.number(),
});
export type AdminSessionPage = z.infer<typeof AdminSessionPage>;

export const AdminSessionsQuery = z.object({
  /** Part of the name of a workflow, a project or a person. */
  query: optionalText("query", limits.queryMax).default(""),
  limit: numberBetween("limit", { min: 1, max: limits.pageMax }, "whole").default(limits.page),
  after: Id.optional(),
});
export type AdminSessionsQuery = z.infer<typeof AdminSessionsQuery>;

/** One that waits. */
export const WaitingSession = AdminSession.pick({
  id: true,
  workflow: true,
  project: true,
  person: true,
  serves_calls: true,
  time_created: true,
}).extend({
  /** From 1. Null when it has left the queue and waits for a machine. */
  position: z.number().nullable(),
  reason: z.string(),
});
export type WaitingSession = z.infer<typeof WaitingSession>;

/** The first ones of the queue, and how many wait in all. */
export const WaitingSessions = z.object({ waiting: z.array(WaitingSession), all: z.number() });
export type WaitingSessions = z.infer<typeof WaitingSessions>;

/** Whoever started the session reads the reason. */
export const StopSessionBody = z.object({ reason: requiredText("A reason", limits.reasonMax) });
export type StopSessionBody = z.infer<typeof StopSessionBody>;
