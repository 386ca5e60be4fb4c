import { socket as limits } from "@miranda/contract/limits.ts";

const bytesPerUnit = 4096;
const abuse = { window: 5_000, refusals: 2_000 };

export type MessageRate = ReturnType<typeof createMessageRate>;

/** The message rate of one connection. Messages above it are refused; a client that goes on loses its connection. */
export function createMessageRate(now: () => number = Date.now, perSecond: number = limits.messagesPerSecond) {
  const burst = 2 * perSecond;
  let units = burst;
  let filledAt = now();
  let windowStart = filledAt;
  let refusals = 0;

  return {
    /** A large message counts for several: it is copied to everybody in the graph. */
    take(bytes: number, weight = 1): "accepted" | "refused" | "abuse" {
      const at = now();
      units = Math.min(burst, units + ((at - filledAt) * perSecond) / 1000);
      filledAt = at;
      const cost = weight + Math.floor(bytes / bytesPerUnit);
      if (units >= cost) {
        units -= cost;
        return "accepted";
      }
      if (at - windowStart > abuse.window) [windowStart, refusals] = [at, 0];
      refusals += 1;
      return refusals > abuse.refusals ? "abuse" : "refused";
    },
  };
}

/**
 * The message rate of all connections of an account together: many connections within their own limit are a flood too.
 */
export function createAccountMessageRates() {
  const known = new Map<string, { allowance: MessageRate; connections: number }>();
  return {
    join(accountId: string): MessageRate {
      const found = known.get(accountId) ?? {
        allowance: createMessageRate(Date.now, limits.messagesPerSecondOfAccount),
        connections: 0,
      };
      found.connections += 1;
      known.set(accountId, found);
      return found.allowance;
    },
    leave(accountId: string): void {
      const found = known.get(accountId);
      if (found && --found.connections === 0) known.delete(accountId);
    },
  };
}
