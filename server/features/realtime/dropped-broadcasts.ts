import type { BroadcastChannel } from "@miranda/contract/broadcast-channels.ts";

export type DroppedBroadcasts = ReturnType<typeof createDroppedBroadcasts>;

const lineEvery = 60_000;

/**
 * Counts invalid broadcasts, and logs them once a minute at most: with a line for each, one client could fill the log.
 */
export function createDroppedBroadcasts(warn: (fields: object, line: string) => void, now: () => number = Date.now) {
  const channels = new Map<BroadcastChannel, number>();
  let total = 0;
  let lastLine = Number.NEGATIVE_INFINITY;

  return {
    add(channel: BroadcastChannel, username: string): void {
      total += 1;
      channels.set(channel, (channels.get(channel) ?? 0) + 1);
      if (now() - lastLine < lineEvery) return;
      lastLine = now();
      warn({ total, channel, username }, "dropped a broadcast that is not what its channel carries");
    },

    counts: () => ({ total, channels: Object.fromEntries(channels) }),
  };
}
