import { z } from "zod";

import { invalid } from "../http/mlflow-error.ts";

const Token = z.object({ offset: z.int().nonnegative().max(100_000_000) });

/** From which result on a page goes. Clients send the token of the page before. */
export function readPageToken(token: string | undefined): number {
  if (!token) return 0;
  try {
    return Token.parse(JSON.parse(Buffer.from(token, "base64").toString("utf8"))).offset;
  } catch {
    throw invalid("Invalid page token, could not be decoded.");
  }
}

export function pageToken(offset: number): string {
  return Buffer.from(JSON.stringify({ offset })).toString("base64");
}

/** How many results a page may have. */
export function readMaxResults(given: number | undefined, { usual, most }: { usual: number; most: number }): number {
  if (given === undefined) return usual;
  if (!Number.isInteger(given) || given < 1 || given > most)
    throw invalid(
      `Invalid value ${given} for parameter 'max_results' supplied. It must be a positive integer of at most ${most}.`,
    );
  return given;
}
