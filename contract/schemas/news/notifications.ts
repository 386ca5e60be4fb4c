import { z } from "zod";

import { notification as limits } from "../../limits.ts";
import { Id, numberBetween, yesOrNo } from "../forms.ts";

// What people are told, wherever they are in the product.

/** Of what people can turn off. A client that meets another kind shows it like any other. */
const notificationKinds = [
  "run_ended",
  "run_failed",
  "budget_reached",
  "webhook_failed",
  "schedule_failed",
  "call_reported",
  "session_stopped",
  "model_version",
  "model_alias",
  "comment_mention",
  "comment_reply",
  "membership",
] as const;
export const NotificationKind = z.enum(notificationKinds);
export type NotificationKind = z.infer<typeof NotificationKind>;

export const Notification = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  /** What it opens: a thread of comments, else a model, else a run, else a project. */
  thread_id: z.string().nullable(),
  model_id: z.string().nullable(),
  run_id: z.string().nullable(),
  project_id: z.string().nullable(),
  time_created: z.string(),
  read: z.boolean(),
});
export type Notification = z.infer<typeof Notification>;

export const NotificationPage = z.object({
  notifications: z.array(Notification),
  /** Of all, not only of this page. */
  unread: z.number(),
  /** The `after` of the next page; null at the end. */
  next: z.string().nullable(),
});
export type NotificationPage = z.infer<typeof NotificationPage>;

/** Newest first. */
export const NotificationsQuery = z.object({
  limit: numberBetween("limit", { min: 1, max: limits.pageMax }, "whole").default(limits.page),
  after: Id.optional(),
});
export type NotificationsQuery = z.infer<typeof NotificationsQuery>;

/** Marks one as read, or without an id all that there are now. */
export const ReadNotificationsBody = z.object({ id: Id.optional() });
export type ReadNotificationsBody = z.infer<typeof ReadNotificationsBody>;

export const Unread = z.object({ unread: z.number() });
export type Unread = z.infer<typeof Unread>;

/** Which events an account is told about. */
export const NotificationSettings = z.object({
  run_ended: yesOrNo("run_ended").default(true),
  run_failed: yesOrNo("run_failed").default(true),
  budget_reached: yesOrNo("budget_reached").default(true),
  webhook_failed: yesOrNo("webhook_failed").default(true),
  schedule_failed: yesOrNo("schedule_failed").default(true),
  call_reported: yesOrNo("call_reported").default(true),
  /** Own sessions that an administrator stopped or removed from the queue. */
  session_stopped: yesOrNo("session_stopped").default(true),
  /** New versions of models in own projects. */
  model_version: yesOrNo("model_version").default(true),
  /** Aliases that other people moved. */
  model_alias: yesOrNo("model_alias").default(true),
  /** Comments that mention them. */
  comment_mention: yesOrNo("comment_mention").default(true),
  /** Replies in threads that they wrote in. */
  comment_reply: yesOrNo("comment_reply").default(true),
  /** Projects and teams that let the account in or out, and projects that are offered to it. */
  membership: yesOrNo("membership").default(true),
  /** Runs that took less are not told. */
  min_seconds: numberBetween("The seconds", { min: 0, max: limits.minSecondsMax }).default(limits.minSeconds),
  /** Also outside of the page, where the browser allows it. */
  browser: yesOrNo("browser").default(true),
});
export type NotificationSettings = z.infer<typeof NotificationSettings>;

/** To every tab of the account. `browser`: also show it outside of the page. */
export const NotificationEvent = z.object({ notification: Notification, unread: z.number(), browser: z.boolean() });
export type NotificationEvent = z.infer<typeof NotificationEvent>;
