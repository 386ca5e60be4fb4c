import { findProgram, installFromDebian } from "./debian.ts";

export const findRedis = (): string | undefined => findProgram("redis-server");

/** What the tests with several servers need: what is here, or Debian's when we may install it. */
export function getRedis(): void {
  if (!findRedis()) installFromDebian("Redis for the tests with several servers", ["redis-server"]);
  if (!findRedis())
    console.log("The tests with several servers are left out: they need Redis (Debian: apt-get install redis-server).");
}
