import { z } from "zod";

import type { BroadcastChannel } from "../events.ts";
import { node } from "../limits.ts";
import { NodeApi } from "./attributes.ts";
import { BlueprintCloneResponse, Edge, EdgeEnds, Node, Position } from "./nodes.ts";

/** What realtime_message_queue carries, as JSON text. The action is then emitted as an event, with the data. */
export const RealtimeMessage = z.object({
  payload: z.object({ action: z.string().min(1), data: z.unknown().optional() }),
});
export type RealtimeMessage = z.infer<typeof RealtimeMessage>;

const NodeKey = z.number().int();
const AttributeName = z.string().min(1).max(node.attributeNameMax);

/** What somebody has selected, and where their pointer is: null when it has left the canvas. */
export const SelectionData = z.object({
  metadata_ids: z.array(NodeKey).max(100_000),
  cursor: Position.nullable().optional(),
});
export type SelectionData = z.infer<typeof SelectionData>;

export const NodeDisabledData = z.object({ metadata_id: NodeKey, disabled: z.boolean() });
export type NodeDisabledData = z.infer<typeof NodeDisabledData>;

/** With unset the attribute goes back to what the code says. */
export const AttributeData = z.object({
  metadata_id: NodeKey,
  name: AttributeName,
  value: z.unknown().optional(),
  unset: z.boolean().optional(),
});
export type AttributeData = z.infer<typeof AttributeData>;

export const CodeData = z.object({
  metadata_id: NodeKey,
  source_code: z.string().max(node.sourceCodeMax),
  api: NodeApi.optional(),
});
export type CodeData = z.infer<typeof CodeData>;

export const NodeChangesData = z.object({ metadata_id: NodeKey, changes: Node.partial() });
export type NodeChangesData = z.infer<typeof NodeChangesData>;

export const NodeData = z.object({ metadata_id: NodeKey });
export type NodeData = z.infer<typeof NodeData>;

/** Null: no longer waiting. */
export const WaitingOnTagData = z.object({ tag: z.number().nullable() });
export type WaitingOnTagData = z.infer<typeof WaitingOnTagData>;

/** The data of every broadcast, by channel. */
export const broadcastData = {
  selection: SelectionData,
  setNodeDisabled: NodeDisabledData,
  "update[attribute]": AttributeData,
  "update[CODE]": CodeData,
  "create[edge]": Edge,
  "delete[edge]": EdgeEnds,
  "create[wob]": Node,
  "update[wob]": NodeChangesData,
  "delete[wob]": NodeData,
  "create[blueprint]": BlueprintCloneResponse,
  setWaitingOnTag: WaitingOnTagData,
} as const satisfies Record<BroadcastChannel, z.ZodType>;

export type BroadcastData = { [Channel in BroadcastChannel]: z.infer<(typeof broadcastData)[Channel]> };

// Server events that no other feature owns.

/** update[VIEW]: that node has changed; fetch it again, unless the change of that revision is already here. */
export const ViewEvent = z.object({ metadata_id: z.number(), revision: z.number().optional() });
export type ViewEvent = z.infer<typeof ViewEvent>;

export const StatusEvent = z.object({ metadata_id: z.number(), status: z.string().nullable() });
export type StatusEvent = z.infer<typeof StatusEvent>;

/** `question` is what an answer names, so that it reaches no other one. */
export const AskForPasswordEvent = z.object({
  project_id: z.string(),
  passwd_prompt: z.string(),
  question: z.string().optional(),
});
export type AskForPasswordEvent = z.infer<typeof AskForPasswordEvent>;

export const OpenQuestions = z.array(AskForPasswordEvent);
export type OpenQuestions = z.infer<typeof OpenQuestions>;

/** password_closed: that question has its answer, or nobody waits for one any more. */
export const PasswordClosedEvent = z.object({ question: z.string(), answered: z.boolean() });
export type PasswordClosedEvent = z.infer<typeof PasswordClosedEvent>;

/** A graph at the moment its changes begin to be heard. Runs write to nodes without a revision: `last_used` tells of them. */
export const EnteredGraph = z.object({ revision: z.number(), last_used: z.string().nullable() });
export type EnteredGraph = z.infer<typeof EnteredGraph>;

/** Something the socket refused, to a sender that asked for no acknowledgement. */
export const NoticeEvent = z.object({ code: z.string(), message: z.string() });
export type NoticeEvent = z.infer<typeof NoticeEvent>;

/** The workflow is gone, or no longer there for this account. */
export const EvictedEvent = z.object({ graph_id: z.string(), message: z.string() });
export type EvictedEvent = z.infer<typeof EvictedEvent>;

/** What the account may do with the workflow has changed. */
export const AccessEvent = z.object({ graph_id: z.string(), viewOnly: z.boolean() });
export type AccessEvent = z.infer<typeof AccessEvent>;
