import { z } from "zod";

import { call as limits, formText } from "../../limits.ts";
import { runStates } from "../../run-states.ts";
import { CommitAuthor } from "../code.ts";
import { Id, numberBetween, oneOf, optionalText } from "../forms.ts";
import { PageKeyQuery } from "../pages.ts";
import { Channel } from "./deployments.ts";

// A call of a deployment is a run: both have the same id. While it waits, there is no run yet.

export const CallState = z.enum(["queued", ...runStates]);
export type CallState = z.infer<typeof CallState>;

const vias = ["explorer", "api", "webhook", "mcp", "schedule", "link"] as const;
/** How it was called. */
export const CallVia = z.enum(vias);
export type CallVia = z.infer<typeof CallVia>;

/** One output of a call. A node that shows several things has several outputs of the same name. */
export const CallOutput = z.object({
  name: z.string(),
  label: z.string(),
  /** As the Jupyter display protocol has it: content by media type. A value that JSON can hold is in application/json. */
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
  /** Counts the outputs of a call from 1, for the address of its file. */
  number: z.number(),
  /** What a download of it would be called, and how large it is; null when it is no file. */
  file: z.object({ name: z.string(), type: z.string(), size: z.number() }).nullable(),
});
export type CallOutput = z.infer<typeof CallOutput>;

/** What a caller sees of a call. */
export const Call = z.object({
  id: z.string(),
  app: z.object({ id: z.string(), name: z.string(), title: z.string(), release: z.number(), channel: Channel }),
  via: CallVia,
  state: CallState,
  /** Why it ended as it did, in words for somebody who does not code; empty when that needs no explanation. */
  reason: z.string(),
  /** How many calls are before it; null once it runs. */
  position: z.number().nullable(),
  inputs: z.record(z.string(), z.unknown()),
  steps: z.array(
    z.object({
      label: z.string(),
      state: z.enum(["waiting", "running", "done", "failed", "stopped"]),
      /** Its progress bar, when its node has one. */
      progress: z.object({ label: z.string(), done: z.number(), total: z.number().nullable() }).nullable(),
    }),
  ),
  outputs: z.array(CallOutput),
  /** By name: a value that JSON can hold. Of several of one name, the last. Once the call is done. */
  result: z.record(z.string(), z.unknown()),
  /** Whether the outputs were removed to make room. */
  outputs_removed: z.boolean(),
  /** The address of the shared result; null when it is not shared. */
  shared: z.string().nullable(),
  reported: z.boolean(),
  time_called: z.string(),
  time_began: z.string().nullable(),
  time_ended: z.string().nullable(),
  /** How long it ran. Null until it has ended. */
  seconds: z.number().nullable(),
  /** Grows with every change. */
  revision: z.number(),
});
export type Call = z.infer<typeof Call>;

/** A call in a list. Those who may read the workflow also get `by`, `cost` and `project_id`. */
export const CallSummary = Call.omit({ outputs: true, steps: true, result: true }).extend({
  by: CommitAuthor.nullable().optional(),
  cost: z.number().optional(),
  schedule_id: z.string().nullable().optional(),
});
export type CallSummary = z.infer<typeof CallSummary>;

export const CallPage = z.object({ calls: z.array(CallSummary), next: z.string().nullable() });
export type CallPage = z.infer<typeof CallPage>;

export const CallsQuery = PageKeyQuery.extend({
  state: oneOf("state", ["queued", ...runStates, "alive", "bad"]).optional(),
  via: oneOf("via", vias).optional(),
  schedule_id: Id.optional(),
});
export type CallsQuery = z.infer<typeof CallsQuery>;

/** `wait`: answers when the call has ended, or after this many seconds. */
export const CallQuery = z.object({
  wait: numberBetween("wait", { min: 0, max: limits.waitSecondsMax }).optional(),
  channel: oneOf("channel", ["production", "staging"]).default("production"),
});
export type CallQuery = z.infer<typeof CallQuery>;

/** What is wrong with the fields of a call: all of it at once. */
export const InputProblem = z.object({ field: z.string(), message: z.string() });
export type InputProblem = z.infer<typeof InputProblem>;

export const ReportBody = z.object({ message: optionalText("Message", formText.noticeMax).default("") });
export type ReportBody = z.infer<typeof ReportBody>;

/**
 * The events of a call as server-sent events. The first is `call` with everything. `call` follows without outputs when its
 * state, steps or position change, `output` with each new output, `log` with lines for those who may read the workflow,
 * and `end` with everything once it has ended.
 */
const CallStreamEvent = z.discriminatedUnion("event", [
  z.object({ event: z.literal("call"), data: Call }),
  z.object({ event: z.literal("output"), data: CallOutput }),
  z.object({ event: z.literal("log"), data: z.object({ lines: z.array(z.string()) }) }),
  z.object({ event: z.literal("end"), data: Call }),
]);
export type CallStreamEvent = z.infer<typeof CallStreamEvent>;

/** A call was made, changed or ended. Sent to the room of its deployment. */
const CallEvent = z.object({ call_id: z.string(), deployment_id: z.string(), state: CallState, revision: z.number() });
export type CallEvent = z.infer<typeof CallEvent>;

/** What an editor needs to open a call in the Designer: the inputs as values of nodes, and where it failed. */
export const CallInDesigner = z.object({
  project_id: z.string(),
  graph_id: z.string(),
  version: z.object({ id: z.string(), number: z.number().nullable(), name: z.string() }),
  values: z.array(z.object({ wob_key: z.number(), attribute: z.string(), value: z.unknown() })),
  failed_node: z.number().nullable(),
  state: CallState,
});
export type CallInDesigner = z.infer<typeof CallInDesigner>;
