import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";

import type { Notification, NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";

import { addressOf, putNotification, putUnread } from "./notifications.ts";

const key = ["notifications", "list"];

const notification = (id: string, read = false): Notification => ({
  id,
  kind: "run_ended",
  title: `Title ${id}`,
  body: "",
  run_id: null,
  project_id: null,
  model_id: null,
  thread_id: null,
  time_created: "2026-11-16T12:00:00.000Z",
  read,
});

function clientWith(...pages: Notification[][]): QueryClient {
  const client = new QueryClient();
  client.setQueryData(key, {
    pages: pages.map((notifications): NotificationPage => ({ notifications, unread: 1, next: null })),
    pageParams: pages.map(() => ""),
  });
  return client;
}

const idsIn = (client: QueryClient) =>
  client
    .getQueryData<{ pages: NotificationPage[] }>(key)
    ?.pages.map(({ notifications, unread }) => [
      unread,
      ...notifications.map(({ id, read }) => `${id}${read ? "r" : ""}`),
    ]);

it("puts a new notification first, once, whichever tab it came through", () => {
  const client = clientWith([notification("b")], [notification("a")]);
  const event = { notification: notification("c"), unread: 3, browser: true };
  putNotification(client, event);
  putNotification(client, event);
  expect(idsIn(client)).toEqual([
    [3, "c", "b"],
    [3, "a"],
  ]);
});

it("marks all as read when another tab did", () => {
  const client = clientWith([notification("b"), notification("a", true)]);
  putUnread(client, { unread: 0 });
  expect(idsIn(client)).toEqual([[0, "br", "ar"]]);
});

it("opens the run, else the project, else the home screen", () => {
  expect(addressOf({ thread_id: null, model_id: null, run_id: "r", project_id: "p" })).toBe("/designer/runs/r");
  expect(addressOf({ thread_id: null, model_id: null, run_id: null, project_id: "p" })).toBe("/designer/projects/p");
  expect(addressOf({ thread_id: null, model_id: "m", run_id: "r", project_id: "p" })).toBe("/designer/models/m");
  expect(addressOf({ thread_id: null, model_id: null, run_id: null, project_id: null })).toBe("/designer/");
});
