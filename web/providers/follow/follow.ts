import type { ViewData } from "@miranda/contract/schemas/broadcasts.ts";

import type { Realtime } from "../../api/socket.ts";
import { createStore } from "../../store.ts";

/** What a screen can say about its view, and how it takes on another one. */
export interface FollowedScreen {
  read: () => ViewData;
  show: (view: ViewData) => void;
}

interface FollowState {
  /** Whom this person follows. */
  following: string | null;
  /** What that person looks at. Undefined until they said so. */
  view: ViewData | undefined;
}

interface Dependencies {
  realtime: Pick<Realtime, "broadcast" | "on">;
  me: string;
  /** Says why following ended, when it was not this person's wish. */
  tell: (text: string) => void;
}

/** Messages may be lost, so followers say again whom they follow. Who says nothing for longer follows no more. */
const announceEveryMs = 10_000;
const followerTimeoutMs = 30_000;
const sendEveryMs = 80;

export type Follow = ReturnType<typeof createFollow>;

/**
 * Following somebody: their view is mine until I move. Only people who are followed send their view, and only while they
 * follow nobody themselves, so two people who follow each other cannot move each other.
 */
export function createFollow({ realtime, me, tell }: Dependencies) {
  const store = createStore<FollowState>({ following: null, view: undefined });
  const followers = new Map<string, number>();
  /** Whom the others follow. */
  const leaders = new Map<string, string>();
  let screen: FollowedScreen | undefined;
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  /** People who follow each other, or one another in a circle, would move each other for ever. */
  const circleWords = (username: string): string =>
    `You cannot follow ${username}: ${username} is following ${leaders.get(username) === me ? "you" : "somebody who follows you"}.`;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const announceFollowing = (): void => realtime.broadcast("follow", { username: store.get().following });

  function isFollowed(): boolean {
    for (const [name, until] of followers) if (until < Date.now()) followers.delete(name);
    return followers.size > 0;
  }

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!isFollowed() || store.get().following !== null) return;
    realtime.broadcast("view", screen?.read() ?? { screen: "other", node: null, selected: [] });
  }

  /** The person at the end of the line: whoever follows somebody shows that person's view. Undefined for a circle. */
  function leaderOf(name: string): string | undefined {
    const seen = new Set([me]);
    for (let at = name; ;) {
      if (seen.has(at)) return undefined;
      seen.add(at);
      const next = leaders.get(at);
      if (next === undefined) return at;
      at = next;
    }
  }

  function stop(why?: string): void {
    if (store.get().following === null) return;
    clearInterval(heartbeat);
    store.set({ following: null, view: undefined });
    announceFollowing();
    if (why !== undefined) tell(why);
  }

  function heard(sender: string, username: string | null): void {
    if (username === null) leaders.delete(sender);
    else leaders.set(sender, username);
    if (username === me) {
      followers.set(sender, Date.now() + followerTimeoutMs);
      send();
    } else followers.delete(sender);
    const { following } = store.get();
    if (following !== null && leaderOf(following) === undefined) stop(circleWords(following));
  }

  return {
    get: store.get,
    watch: store.watch,
    stop,

    start(username: string): void {
      if (username === me || username === store.get().following) return;
      if (leaderOf(username) === undefined) return tell(circleWords(username));
      clearInterval(heartbeat);
      heartbeat = setInterval(announceFollowing, announceEveryMs);
      store.set({ following: username, view: undefined });
      announceFollowing();
    },

    /** The screen that is shown now. It gets the last view of the followed person at once. */
    attachScreen(made: FollowedScreen): () => void {
      screen = made;
      const { view } = store.get();
      if (view) made.show(view);
      send();
      return () => {
        if (screen === made) screen = undefined;
      };
    },

    /** The own view changed. */
    changed(): void {
      if (isFollowed()) timer ??= setTimeout(send, sendEveryMs);
    },

    /** Who is in the workflow now. */
    present(usernames: ReadonlySet<string>): void {
      for (const name of leaders.keys()) if (!usernames.has(name)) leaders.delete(name);
      for (const name of followers.keys()) if (!usernames.has(name)) followers.delete(name);
      const { following } = store.get();
      if (following !== null && !usernames.has(following)) stop(`Stopped following: ${following} left.`);
    },

    listen(): () => void {
      const stops = [
        realtime.on("broadcast(follow)", ({ sender, data }) => {
          if (sender !== me) heard(sender, data.username);
        }),
        realtime.on("broadcast(view)", ({ sender, data }) => {
          const { following } = store.get();
          if (following === null || sender !== leaderOf(following)) return;
          store.set({ following, view: data });
          screen?.show(data);
        }),
      ];
      return () => {
        for (const end of stops) end();
        clearInterval(heartbeat);
        clearTimeout(timer);
      };
    },
  };
}
