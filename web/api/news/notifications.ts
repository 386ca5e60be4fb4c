import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  Notification,
  NotificationEvent,
  NotificationPage,
  NotificationSettings,
  Unread,
} from "@miranda/contract/schemas/news/notifications.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

const keys = { list: ["notifications", "list"], settings: ["notifications", "settings"] } as const;

type Pages = InfiniteData<NotificationPage, string>;

/** Newest first. Events keep it up to date; it is read again from time to time in case one was lost. */
export function useNotifications(enabled: boolean) {
  return useInfiniteQuery({
    queryKey: keys.list,
    queryFn: ({ pageParam: after, signal }) =>
      call<NotificationPage>(`/api/v3/notifications${after === "" ? "" : `?after=${after}`}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? refresh.notifications : false),
    enabled,
  });
}

export function refetchNotifications(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: keys.list });
}

export function putNotification(client: QueryClient, { notification, unread }: NotificationEvent): void {
  changePages(client, (page, at) => {
    const others = page.notifications.filter(({ id }) => id !== notification.id);
    return { ...page, unread, notifications: at === 0 ? [notification, ...others] : others };
  });
}

/** Some were read in another tab. */
export function putUnread(client: QueryClient, { unread }: Unread): void {
  changePages(client, (page) => ({
    ...page,
    unread,
    notifications: unread === 0 ? allRead(page) : page.notifications,
  }));
  if (unread > 0) refetchNotifications(client);
}

/** Without an id: all. */
export function useMarkRead() {
  const client = useQueryClient();
  return async (id?: string): Promise<void> => {
    const { unread } = await call<Unread>("/api/v3/notifications/read", { method: "POST", fields: { id } });
    changePages(client, (page) => ({
      ...page,
      unread,
      notifications: page.notifications.map((one) =>
        id === undefined || one.id === id ? { ...one, read: true } : one,
      ),
    }));
  };
}

export function useNotificationSettings() {
  return useQuery({
    queryKey: keys.settings,
    queryFn: ({ signal }) => call<NotificationSettings>("/api/v3/accounts/notification-settings", { signal }),
    refetchInterval: false,
  });
}

export function useSaveNotificationSettings() {
  const client = useQueryClient();
  return async (settings: NotificationSettings): Promise<void> => {
    const path = "/api/v3/accounts/notification-settings";
    const saved = await call<NotificationSettings>(path, { method: "PUT", fields: settings });
    client.setQueryData(keys.settings, saved);
  };
}

/** What a notification opens. */
export function addressOf({
  thread_id,
  model_id,
  run_id,
  project_id,
}: Pick<Notification, "thread_id" | "model_id" | "run_id" | "project_id">): string {
  if (thread_id !== null) return `/designer/comments/${thread_id}`;
  if (model_id !== null) return `/designer/models/${model_id}`;
  if (run_id !== null) return `/designer/runs/${run_id}`;
  return project_id === null ? "/designer/" : `/designer/projects/${project_id}`;
}

function changePages(client: QueryClient, change: (page: NotificationPage, at: number) => NotificationPage): void {
  client.setQueryData<Pages>(keys.list, (data) => data && { ...data, pages: data.pages.map(change) });
}

function allRead({ notifications }: NotificationPage): Notification[] {
  return notifications.map((one) => ({ ...one, read: true }));
}
