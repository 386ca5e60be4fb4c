import {
  AtSign,
  CalendarClock,
  BellOff,
  Box,
  CircleAlert,
  CircleCheck,
  Coins,
  type LucideIcon,
  MessageSquare,
  MessageSquareWarning,
  Tag,
  Users,
  Webhook,
} from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "react-router";

import type { Notification } from "@miranda/contract/schemas/news/notifications.ts";

import { addressOf, useMarkRead, type useNotifications } from "../../api/news/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { plainMarkdown } from "../../ui/markdown/plain-markdown.ts";
import { RelativeTime } from "../relative-time.tsx";

interface NotificationPanelProps {
  id: string;
  list: ReturnType<typeof useNotifications>;
  onClose: () => void;
}

export function NotificationPanel({ id, list, onClose }: NotificationPanelProps) {
  const panel = useRef<HTMLElement>(null);
  const markRead = useMarkRead();
  const { data, error, isPending, hasNextPage, isFetchingNextPage } = list;
  const notifications = data?.pages.flatMap((page) => page.notifications) ?? [];
  const unread = data?.pages[0]?.unread ?? 0;
  useEffect(() => panel.current?.focus(), []);

  return (
    <section
      ref={panel}
      id={id}
      tabIndex={-1}
      aria-label="Notifications"
      className="z-20 flex animate-appear flex-col overflow-hidden rounded-xl bg-raised shadow-high outline-none max-sm:fixed max-sm:inset-x-3 max-sm:top-13 max-sm:max-h-[calc(100dvh-4.5rem)] sm:absolute sm:top-full sm:right-0 sm:mt-2 sm:max-h-[min(36rem,calc(100dvh-5rem))] sm:w-96"
    >
      <div className="flex min-h-11 shrink-0 items-center gap-2 border-b border-line py-1.5 pr-2 pl-4">
        <h2 className="flex-1 font-semibold">Notifications</h2>
        {unread > 0 ? (
          <Button size="sm" variant="ghost" onClick={() => toastFailure(markRead())}>
            Mark all as read
          </Button>
        ) : null}
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {isPending ? <Spinner label="Loading notifications" showLabel className="p-4" /> : null}
        {error && !data ? (
          <div className="flex items-center gap-3 p-4">
            <p role="alert" className="min-w-0 flex-1 text-danger-text">
              {error.message}
            </p>
            <Button size="sm" onClick={() => void list.refetch()}>
              Try again
            </Button>
          </div>
        ) : null}
        {data && notifications.length === 0 ? <Nothing /> : null}
        <ul className="divide-y divide-line empty:hidden">
          {notifications.map((notification) => (
            <li key={notification.id}>
              <Entry
                notification={notification}
                onOpen={() => {
                  if (!notification.read) toastFailure(markRead(notification.id));
                  onClose();
                }}
              />
            </li>
          ))}
        </ul>
        {hasNextPage ? (
          <div className="flex justify-center border-t border-line p-2">
            <Button size="sm" variant="ghost" busy={isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show older ones
            </Button>
          </div>
        ) : null}
      </div>
      <div className="shrink-0 border-t border-line px-4 py-2 text-sm">
        <Link to="/account#notifications" onClick={onClose} className="text-ink-muted hover:text-ink hover:underline">
          Choose what you are told
        </Link>
      </div>
    </section>
  );
}

function Nothing() {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center text-ink-muted">
      <BellOff className="size-5 text-ink-faint" aria-hidden="true" />
      <p>Nothing yet. Runs that take longer than a minute tell you here when they end.</p>
    </div>
  );
}

const looks: Record<string, { icon: LucideIcon; colour: string }> = {
  run_ended: { icon: CircleCheck, colour: "text-success-text" },
  run_failed: { icon: CircleAlert, colour: "text-danger-text" },
  budget_reached: { icon: Coins, colour: "text-warning-text" },
  webhook_failed: { icon: Webhook, colour: "text-warning-text" },
  schedule_failed: { icon: CalendarClock, colour: "text-danger-text" },
  model_version: { icon: Box, colour: "text-accent-text" },
  model_alias: { icon: Tag, colour: "text-accent-text" },
  comment_mention: { icon: AtSign, colour: "text-accent-text" },
  comment_reply: { icon: MessageSquare, colour: "text-accent-text" },
  membership: { icon: Users, colour: "text-accent-text" },
  call_reported: { icon: MessageSquareWarning, colour: "text-warning-text" },
  session_stopped: { icon: CircleAlert, colour: "text-warning-text" },
};

function Entry({ notification, onOpen }: { notification: Notification; onOpen: () => void }) {
  const { kind, title, body, time_created, read } = notification;
  const { icon: Icon, colour } = looks[kind] ?? { icon: CircleCheck, colour: "text-ink-muted" };
  return (
    <Link
      to={addressOf(notification)}
      onClick={onOpen}
      className="flex gap-3 px-4 py-3 -outline-offset-2 transition-colors hover:bg-hover"
    >
      <Icon className={classes("mt-0.5 size-4 shrink-0", colour)} aria-hidden="true" />
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className={classes("line-clamp-2 wrap-anywhere", read ? null : "font-semibold")}>{oneLine(title)}</span>
        {body ? (
          <span className="line-clamp-2 text-sm wrap-anywhere text-ink-muted">
            {oneLine(kind.startsWith("comment_") ? plainMarkdown(body) : body)}
          </span>
        ) : null}
        <span className="text-xs text-ink-faint">
          <RelativeTime time={time_created} />
        </span>
      </span>
      {read ? null : (
        <span className="mt-1.5 size-2 shrink-0 rounded-full bg-accent">
          <span className="sr-only">New</span>
        </span>
      )}
    </Link>
  );
}
