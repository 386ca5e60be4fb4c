import { z } from "zod";

import type { RedisClient } from "../../platform/redis.ts";
import type { Presence } from "./presence.ts";

const AccountIds = z.array(z.string());

// A graph's connections ordered by last renewal, named account/connection; and all graphs with any.
const enter = `
  local known = false
  for _, one in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do
    if string.sub(one, 1, #ARGV[1] + 1) == ARGV[1] .. '/' then known = true end
  end
  local now = redis.call('time')
  redis.call('zadd', KEYS[1], now[1] * 1000 + math.floor(now[2] / 1000), ARGV[1] .. '/' .. ARGV[2])
  redis.call('sadd', KEYS[2], ARGV[3])
  return known and 0 or 1`;

const leave = `
  if redis.call('zrem', KEYS[1], ARGV[1] .. '/' .. ARGV[2]) == 0 then return 0 end
  if redis.call('zcard', KEYS[1]) == 0 then redis.call('srem', KEYS[2], ARGV[3]) end
  for _, one in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do
    if string.sub(one, 1, #ARGV[1] + 1) == ARGV[1] .. '/' then return 0 end
  end
  return 1`;

const expire = `
  local now = redis.call('time')
  local oldest = now[1] * 1000 + math.floor(now[2] / 1000) - ARGV[1]
  local late = redis.call('zrangebyscore', KEYS[1], '-inf', oldest)
  if #late > 0 then redis.call('zremrangebyscore', KEYS[1], '-inf', oldest) end
  if redis.call('zcard', KEYS[1]) == 0 then redis.call('srem', KEYS[2], ARGV[2]) end
  local there = {}
  for _, one in ipairs(redis.call('zrange', KEYS[1], 0, -1)) do there[string.match(one, '^[^/]+')] = true end
  local gone = {}
  for _, one in ipairs(late) do
    local account = string.match(one, '^[^/]+')
    if not there[account] then there[account] = true; table.insert(gone, account) end
  end
  return gone`;

/**
 * Presence on several servers. Times come from Redis's clock, and only one server handles each expiry. While Redis is
 * down, each server knows only its own people.
 */
export function createRedisPresence(
  client: RedisClient,
  { prefix, lifetime, own, report }: { prefix: string; lifetime: number; own: Presence; report(error: unknown): void },
): Presence {
  const graphs = `${prefix}:presence`;
  /** An outage of Redis was reported when it began. Anything else is a bug. */
  const noticed = (error: unknown): void => {
    if (client.isReady) report(error);
  };
  const keysOf = (graphId: string): string[] => [`${prefix}:presence:${graphId}`, graphs];

  return {
    async enter(graphId, accountId, connection) {
      const alone = await own.enter(graphId, accountId, connection);
      try {
        const given = [accountId, connection, graphId];
        return (await client.eval(enter, { keys: keysOf(graphId), arguments: given })) === 1;
      } catch (error) {
        noticed(error);
        return alone;
      }
    },

    async leave(graphId, accountId, connection) {
      const alone = await own.leave(graphId, accountId, connection);
      try {
        const given = [accountId, connection, graphId];
        return (await client.eval(leave, { keys: keysOf(graphId), arguments: given })) === 1;
      } catch (error) {
        noticed(error);
        return alone;
      }
    },

    async accounts(graphId) {
      const alone = await own.accounts(graphId);
      try {
        const names = await client.zRange(keysOf(graphId)[0] ?? "", 0, -1);
        return [...new Set([...names.map((name) => name.split("/")[0] ?? ""), ...alone])];
      } catch (error) {
        noticed(error);
        return alone;
      }
    },

    async expire() {
      const alone = await own.expire();
      try {
        const gone: { graphId: string; accountId: string }[] = [];
        for (const graphId of await client.sMembers(graphs)) {
          const given = [String(lifetime), graphId];
          const accounts = AccountIds.parse(await client.eval(expire, { keys: keysOf(graphId), arguments: given }));
          gone.push(...accounts.map((accountId) => ({ graphId, accountId })));
        }
        // Another server may have removed from Redis what this one has just removed itself.
        return [...alone, ...gone];
      } catch (error) {
        noticed(error);
        return alone;
      }
    },
  };
}
