import { z } from "zod";

/** What realtime_message_queue carries, as JSON text. The action is then emitted as an event, with the data. */
export const RealtimeMessage = z.object({
  payload: z.object({ action: z.string().min(1), data: z.unknown().optional() }),
});
export type RealtimeMessage = z.infer<typeof RealtimeMessage>;

// Server events that no other feature owns.

/** update[VIEW]: that node has changed; fetch it again, unless the change of that revision is already here. */
export const ViewEvent = z.object({ metadata_id: z.number(), revision: z.number().optional() });
export type ViewEvent = z.infer<typeof ViewEvent>;

export const StatusEvent = z.object({ metadata_id: z.number(), status: z.string().nullable() });
export type StatusEvent = z.infer<typeof StatusEvent>;

/**
 * An answer names its `question`, so that it cannot reach another one. An answer that is not `hidden` is shown while
 * typing and may be empty. `wob_key` is the node that asks.
 */
export const AskForPasswordEvent = z.object({
  project_id: z.string(),
  passwd_prompt: z.string(),
  question: z.string().optional(),
  hidden: z.boolean().optional(),
  wob_key: z.number().nullish(),
});
export type AskForPasswordEvent = z.infer<typeof AskForPasswordEvent>;

export const OpenQuestions = z.array(AskForPasswordEvent);
export type OpenQuestions = z.infer<typeof OpenQuestions>;

/** password_closed: the question was answered, or the node no longer waits. */
export const PasswordClosedEvent = z.object({ question: z.string(), answered: z.boolean() });
export type PasswordClosedEvent = z.infer<typeof PasswordClosedEvent>;

/** A graph at the moment its events begin to arrive. Runs change nodes without a revision: `last_used` shows that. */
export const EnteredGraph = z.object({ revision: z.number(), last_used: z.string().nullable() });
export type EnteredGraph = z.infer<typeof EnteredGraph>;

/** A refusal of the socket for a sender that did not ask for an acknowledgement. */
export const NoticeEvent = z.object({ code: z.string(), message: z.string() });
export type NoticeEvent = z.infer<typeof NoticeEvent>;

/** The workflow was deleted, or this account may no longer read it. */
export const EvictedEvent = z.object({ graph_id: z.string(), message: z.string() });
export type EvictedEvent = z.infer<typeof EvictedEvent>;

/** What the account may do with the workflow has changed. */
export const AccessEvent = z.object({ graph_id: z.string(), viewOnly: z.boolean() });
export type AccessEvent = z.infer<typeof AccessEvent>;

/** What one server has counted since it started. */
export const RealtimeCounts = z.object({
  connections: z.number(),
  /** Broadcasts that were not what their channel carries. */
  dropped_broadcasts: z.object({ total: z.number(), channels: z.record(z.string(), z.number()) }),
});
export type RealtimeCounts = z.infer<typeof RealtimeCounts>;
