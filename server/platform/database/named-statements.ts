import pg from "pg";

import { messageOf } from "../errors/error-details.ts";
import { serverBusy } from "../limits/overload.ts";
import { noteLostConnection } from "./lost-connections.ts";

// Few names, so that the plans of all connections together stay small.
const namesMax = 100;
// A statement that is sent rarely gets no name: its plan would only take up memory.
const sentBeforeNamed = 20;
const textMax = 8_000;

type Client = Pick<pg.PoolClient, "query" | "release">;

/**
 * What Kysely needs of a pool. Statements that are sent often get a name, and each connection plans a named statement only
 * once.
 */
export function withNamedStatements(
  pool: pg.Pool,
  onFailure: () => void,
): { connect(): Promise<Client>; end(): Promise<void>; waitsFor(): number } {
  /** Since when each waits for a connection. The pool serves them in this order. */
  const waiting = new Set<{ since: number }>();
  const clients = new WeakMap<pg.PoolClient, Client>();
  let timesSent = new Map<string, number>();
  let names = new Map<string, string>();
  let generation = 0;

  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    if (known !== undefined || names.size >= namesMax || text.length > textMax) return known;
    const times = (timesSent.get(text) ?? 0) + 1;
    // A list of values makes another statement for every length. Without this they would pile up.
    if (timesSent.size > namesMax * 10) timesSent = new Map();
    timesSent.set(text, times);
    if (times >= sentBeforeNamed) names.set(text, `m${generation}_${names.size}`);
    return names.get(text);
  }

  function forgetNames(): void {
    generation += 1;
    timesSent = new Map();
    names = new Map();
  }

  async function send(client: pg.PoolClient, text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = values.length > 0 ? nameOf(text) : undefined;
    if (name === undefined) return client.query(text, values);
    const isInTransaction = client.getTransactionStatus() !== "I";
    try {
      return await client.query({ name, text, values });
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error;
      // A newer server has changed a table, so no connection may use the old plans.
      forgetNames();
      // PostgreSQL refuses every statement after an error in a transaction.
      if (isInTransaction) throw error;
      return client.query(text, values);
    }
  }

  async function take(): Promise<pg.PoolClient> {
    const place = { since: performance.now() };
    waiting.add(place);
    try {
      return await pool.connect();
    } catch (error) {
      noteLostConnection(error);
      throw isBusy(error) ? serverBusy() : error;
    } finally {
      waiting.delete(place);
    }
  }

  return {
    waitsFor(): number {
      const [oldest] = waiting;
      return oldest ? performance.now() - oldest.since : 0;
    },

    async connect() {
      const client = await take();
      const known = clients.get(client);
      if (known) return known;
      const query = async (text: string, values: unknown[]) => {
        try {
          return await send(client, text, values);
        } catch (error) {
          onFailure();
          noteLostConnection(error);
          throw error;
        }
      };
      // Of the dozen signatures of this function Kysely calls only this one.
      const made = { query: query as Client["query"], release: () => client.release() };
      clients.set(client, made);
      return made;
    },
    end: () => pool.end(),
  };
}

/** No connection became free in time, or PostgreSQL has as many as it takes, or it is starting. */
function isBusy(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === "53300" || error.code === "57P03";
  return messageOf(error) === "timeout exceeded when trying to connect";
}

function isOutdatedPlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "0A000" && error.message.startsWith("cached plan");
}
