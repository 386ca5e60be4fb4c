import { socket as limits } from "@miranda/contract/limits.ts";

const burst = 2 * limits.messagesPerSecond;
const bytesPerUnit = 4096;
const abuse = { window: 5_000, refusals: 2_000 };

/** How much one connection may say. What is over is refused; who goes on regardless loses the connection. */
export function createAllowance(now: () => number = Date.now) {
  let units = burst;
  let filledAt = now();
  let windowStart = filledAt;
  let refusals = 0;

  return {
    /** Large messages count for several: each is copied to everybody in the graph. */
    take(bytes: number, weight = 1): "accepted" | "refused" | "abuse" {
      const at = now();
      units = Math.min(burst, units + ((at - filledAt) * limits.messagesPerSecond) / 1000);
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
