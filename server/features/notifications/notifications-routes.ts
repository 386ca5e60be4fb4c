import {
  NotificationPage,
  NotificationSettings,
  NotificationsQuery,
  ReadNotificationsBody,
  Unread,
} from "@miranda/contract/schemas/news/notifications.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { NotificationsFeature } from "./notifications-service.ts";

const tags = ["notifications"];

export function notificationRoutes(app: Http, notifications: NotificationsFeature): void {
  app.get(
    "/api/v3/notifications",
    {
      config: { revalidated: true },
      schema: { tags, querystring: NotificationsQuery, response: { 200: NotificationPage } },
    },
    (request) => notifications.list(callerOf(request), request.query),
  );

  app.post(
    "/api/v3/notifications/read",
    { schema: { tags, body: ReadNotificationsBody, response: { 200: Unread } } },
    (request) => notifications.markRead(callerOf(request), request.body.id),
  );

  app.get(
    "/api/v3/accounts/notification-settings",
    { schema: { tags, response: { 200: NotificationSettings } } },
    (request) => notifications.settings(callerOf(request)),
  );

  app.put(
    "/api/v3/accounts/notification-settings",
    { schema: { tags, body: NotificationSettings, response: { 200: NotificationSettings } } },
    (request) => notifications.saveSettings(callerOf(request), request.body),
  );
}
