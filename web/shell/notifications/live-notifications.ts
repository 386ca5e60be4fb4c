import type { QueryClient } from "@tanstack/react-query";

import type { NotificationEvent, Unread } from "@miranda/contract/schemas/news/notifications.ts";

import { addressOf, putNotification, putUnread, refetchNotifications } from "../../api/news/notifications.ts";
import { pageConnection } from "../../api/page-connection.ts";
import { createRealtime, type Realtime } from "../../api/socket.ts";
import { notifications as limits } from "../../limits.ts";

// Import this file only on demand: Socket.IO is not needed for the first screen.

/** What the connected tab passes on to the others of this browser. */
type Passed = { new: NotificationEvent } | { unread: Unread } | { missed: true };

interface Live {
  accountId: string;
  client: QueryClient;
  /** Follows a notification of the browser that somebody clicked. */
  open: (address: string) => void;
}

/**
 * Receives notifications as they happen. Of all tabs of this browser, one holds the connection, passes on what it
 * receives, and shows notifications of the browser: with one connection for each tab, each would show one. The lock goes
 * to the next tab when that one is closed.
 */
export function listenForNotifications({ accountId, client, open }: Live): () => void {
  const ending = new AbortController();
  const channel = new BroadcastChannel(`miranda-notifications-${accountId}`);

  function take(passed: Passed): void {
    if ("new" in passed) putNotification(client, passed.new);
    else if ("unread" in passed) putUnread(client, passed.unread);
    else refetchNotifications(client);
  }

  function receive(passed: Passed): void {
    take(passed);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
    channel.postMessage(passed);
  }

  function listenTo(realtime: Realtime): () => void {
    // What happened while nobody was connected.
    const missed = () => receive({ missed: true });
    if (realtime.isConnected()) missed();
    const stops = [
      realtime.on("ready", missed),
      realtime.on("update[NOTIFICATIONS]", (unread) => receive({ unread })),
      realtime.on("new[NOTIFICATION]", (event) => {
        receive({ new: event });
        if (event.browser) void showOutside(event, open);
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }

  /** Stays connected until this tab no longer needs it: by the screen's connection, else by one of its own. */
  function connect(): Promise<void> {
    let leave = join();
    const stop = pageConnection.watch(() => {
      leave();
      leave = join();
    });
    return new Promise((resolve) => {
      ending.signal.addEventListener("abort", () => {
        stop();
        leave();
        resolve();
      });
    });
  }

  function join(): () => void {
    const shared = pageConnection.find();
    if (shared) return listenTo(shared);
    // The next screen may bring its own in a moment.
    let stop: (() => void) | undefined;
    const timer = setTimeout(() => {
      const own = createRealtime();
      const stopListening = listenTo(own);
      own.open();
      stop = () => {
        stopListening();
        own.close();
      };
    }, limits.connectAfter);
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }

  channel.addEventListener("message", ({ data }: MessageEvent<Passed>) => take(data));
  const stopFocus = holdWhileFocused(ending.signal);
  // Browsers hide locks from pages that are served without TLS. There every tab connects, and none can show anything
  // outside of its page.
  if ("locks" in navigator)
    navigator.locks
      .request(`miranda-notifications-${accountId}`, { signal: ending.signal }, connect)
      .catch(() => undefined);
  else void connect();

  return () => {
    stopFocus();
    ending.abort();
    channel.close();
  };
}

const focusLock = "miranda-focused";

/** Every tab that has the focus holds this lock, so that any tab can tell whether one has it. */
function holdWhileFocused(signal: AbortSignal): () => void {
  if (!("locks" in navigator)) return () => undefined;
  let release: (() => void) | undefined;

  function follow(): void {
    release?.();
    release = undefined;
    if (!document.hasFocus() || signal.aborted) return;
    const held = new Promise<void>((resolve) => (release = resolve));
    navigator.locks.request(focusLock, { mode: "shared" }, () => held).catch(() => undefined);
  }

  follow();
  addEventListener("focus", follow);
  addEventListener("blur", follow);
  return () => {
    removeEventListener("focus", follow);
    removeEventListener("blur", follow);
    release?.();
  };
}

async function showOutside({ notification }: NotificationEvent, open: (address: string) => void): Promise<void> {
  if (!("Notification" in window) || Notification.permission !== "granted" || !("locks" in navigator)) return;
  const { held = [] } = await navigator.locks.query();
  if (held.some(({ name }) => name === focusLock)) return;
  const { id, title, body } = notification;
  const shown = new Notification(title, { body, tag: id });
  shown.addEventListener("click", () => {
    window.focus();
    open(addressOf(notification));
    shown.close();
  });
}
