import { useQueryClient } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import { type FocusEvent, type KeyboardEvent, lazy, Suspense, useEffect, useId, useRef, useState } from "react";
import { useNavigate } from "react-router";

import { useNotifications } from "../../api/news/notifications.ts";
import { notifications as limits } from "../../limits.ts";
import { logWarning } from "../../log.ts";
import { classes } from "../../ui/classes.ts";

const loadPanel = () => import("./notification-panel.tsx");
const NotificationPanel = lazy(() => loadPanel().then((module) => ({ default: module.NotificationPanel })));

/** How many notifications are new, and the list of them. */
export function NotificationBell({ accountId }: { accountId: string }) {
  const list = useNotifications(true);
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  const unread = list.data?.pages[0]?.unread ?? 0;
  useLiveNotifications(accountId);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function closeOnEscape(event: KeyboardEvent) {
    if (event.key === "Escape" && open) close();
  }

  function closeOnLeave({ relatedTarget, currentTarget }: FocusEvent) {
    if (relatedTarget && !currentTarget.contains(relatedTarget)) setOpen(false);
  }

  return (
    <div className="relative shrink-0" role="presentation" onKeyDown={closeOnEscape} onBlur={closeOnLeave}>
      {open ? <div role="presentation" className="fixed inset-0 z-10" onClick={() => setOpen(false)} /> : null}
      <button
        ref={button}
        type="button"
        aria-label={unread === 0 ? "Notifications" : `Notifications, ${unread} new`}
        aria-expanded={open}
        aria-controls={open ? panelId : undefined}
        onPointerEnter={() => void loadPanel().catch(() => undefined)}
        onClick={() => setOpen(!open)}
        className={classes(
          "relative z-20 grid size-8 place-items-center rounded-md text-ink-muted transition-colors hover:bg-hover hover:text-ink",
          open ? "bg-hover text-ink" : null,
        )}
      >
        <Bell className="size-4" aria-hidden="true" />
        {unread === 0 ? null : (
          <span
            aria-hidden="true"
            className="absolute top-0 right-0 grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 text-2xs font-semibold text-accent-ink tabular-nums"
          >
            {unread > limits.countMax ? `${limits.countMax}+` : unread}
          </span>
        )}
      </button>
      {open ? (
        <Suspense fallback={null}>
          <NotificationPanel id={panelId} list={list} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

/** Connects a moment after the page is there: the first screen comes first. */
function useLiveNotifications(accountId: string): void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const open = useRef(navigate);
  useEffect(() => {
    open.current = navigate;
  }, [navigate]);

  useEffect(() => {
    let stop: (() => void) | undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      import("./live-notifications.ts")
        .then(({ listenForNotifications }) => {
          if (isOver) return;
          stop = listenForNotifications({ accountId, client, open: (address) => void open.current(address) });
        })
        .catch((cause: unknown) => logWarning("Notifications could not be loaded.", cause));
    }, limits.connectAfter);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop?.();
    };
  }, [accountId, client]);
}
