/** A bucket holds this many minutes' worth, so a quiet caller may make many calls at once. */
const burstMinutes = 3;
const bucketsMost = 20_000;

interface Bucket {
  calls: number;
  filledAt: number;
}

/** How many calls each caller may make: a token bucket each, in memory. */
export function createCallRate(perMinute: number, now: () => number = Date.now) {
  const most = perMinute * burstMinutes;
  const buckets = new Map<string, Bucket>();

  function callsLeft({ calls, filledAt }: Bucket, at: number): number {
    return Math.min(most, calls + ((at - filledAt) * perMinute) / 60_000);
  }

  function makeRoom(at: number): void {
    for (const [key, bucket] of buckets) if (callsLeft(bucket, at) >= most) buckets.delete(key);
    // Still too many: calls come from everywhere. Forgetting the oldest ones, many at a time, bounds memory and work.
    for (const key of buckets.keys()) {
      if (buckets.size < bucketsMost / 2) return;
      buckets.delete(key);
    }
  }

  const secondsUntilOne = (calls: number): number => Math.ceil(((1 - calls) * 60) / perMinute);

  return {
    /** The seconds until the next call may be made. Counts nothing. */
    wait(key: string): number {
      const bucket = perMinute === 0 ? undefined : buckets.get(key);
      const calls = bucket ? callsLeft(bucket, now()) : 1;
      return calls < 1 ? secondsUntilOne(calls) : 0;
    },

    /** Counts a call. Returns 0 when it may go on, else the seconds to wait. */
    take(key: string): number {
      if (perMinute === 0) return 0;
      const at = now();
      const bucket = buckets.get(key);
      if (!bucket) {
        if (buckets.size >= bucketsMost) makeRoom(at);
        buckets.set(key, { calls: most - 1, filledAt: at });
        return 0;
      }
      bucket.calls = callsLeft(bucket, at);
      bucket.filledAt = at;
      if (bucket.calls < 1) return secondsUntilOne(bucket.calls);
      bucket.calls -= 1;
      return 0;
    },
  };
}
