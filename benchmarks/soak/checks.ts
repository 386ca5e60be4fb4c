import { setTimeout as sleep } from "node:timers/promises";

import { markedBy } from "../../server/engines/processes.ts";
import type { Db } from "../../server/platform/database/database.ts";
import { numbersIn, type Watcher } from "./browsers.ts";
import type { Rounds } from "./load.ts";

/** Says what is wrong with numbers that must be 0, 1, 2 and so on. Empty when they are right. */
export function wrongNumbers(numbers: readonly number[], count: number): string[] {
  const seen = new Uint8Array(count);
  let [doubled, foreign, unordered] = [0, 0, 0];
  for (const [at, number] of numbers.entries()) {
    if (number >= count) foreign += 1;
    else if (seen[number]) doubled += 1;
    else seen[number] = 1;
    if (at > 0 && number !== (numbers[at - 1] ?? 0) + 1) unordered += 1;
  }
  const missing = seen.reduce((sum, one) => sum + 1 - one, 0);
  if (missing + doubled + foreign + unordered === 0) return [];
  const words = `${missing} missing, ${doubled} doubled, ${unordered} out of order, ${foreign} unknown`;
  return [`${numbers.length} of ${count} lines: ${words}`];
}

/** The numbered lines of a session, from the database itself. */
export async function storedNumbers(db: Db, jobId: string): Promise<number[]> {
  const chunks = await db
    .selectFrom("log_chunks")
    .select("entries")
    .where("job_id", "=", jobId)
    .orderBy("first_line")
    .execute();
  return chunks.flatMap(({ entries }) =>
    (JSON.parse(entries) as [number, number, number, number, string][]).flatMap(([, , , , text]) => numbersIn(text)),
  );
}

/** The browser must have every line once the panel has stopped fetching. */
export async function wrongShown(watcher: Watcher, lines: number): Promise<string[]> {
  for (let tries = 60; tries > 0 && (await watcher.hasGap()); tries -= 1) await sleep(1_000);
  if (await watcher.hasGap()) return ["it still fetches lines"];
  return wrongNumbers(await watcher.numbers(), lines);
}

/** Each run must have printed all its lines. A run whose start got no answer may be there or not. */
export function wrongRounds({ runs, inDoubt }: Rounds, numbers: readonly number[], lines: number): string[] {
  const done = numbers.length / lines;
  const isWhole = done >= runs && done <= runs + inDoubt && numbers.every((one, at) => one === at % lines);
  return isWhole ? [] : [`${numbers.length} lines of ${runs} runs and ${inDoubt} in doubt`];
}

/** Every sample of every session must be charged once: to its account, in the ledger and in the session's cost. */
export async function wrongCredits(db: Db): Promise<string[]> {
  const close = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6;
  const wrong: string[] = [];
  const accounts = await db.selectFrom("accounts").select(["id", "username", "credits"]).execute();
  for (const { id, username, credits } of accounts) {
    const entries = await db.selectFrom("ledger").select(["kind", "amount"]).where("account_id", "=", id).execute();
    const booked = entries.reduce((sum, { amount }) => sum + amount, 0);
    const charged = entries.reduce((sum, { kind, amount }) => (kind === "usage" ? sum - amount : sum), 0);
    const jobs = await db.selectFrom("jobs").select("id").where("account_id", "=", id).execute();
    let used = 0;
    for (const job of jobs) {
      const samples = await db
        .selectFrom("usage_samples")
        .select(["number", "cost"])
        .where("job_id", "=", job.id)
        .orderBy("number")
        .execute();
      if (samples.some(({ number }, at) => number !== at + 1)) wrong.push(`samples of ${job.id} have a gap`);
      used += samples.reduce((sum, { cost }) => sum + cost, 0);
    }
    if (!close(credits, booked)) wrong.push(`${username}: ${credits} credits, ledger ${booked}`);
    if (!close(charged, used)) wrong.push(`${username}: charged ${charged}, samples ${used}`);
  }
  return wrong;
}

/** Processes of ended sessions. They may take a moment to end. */
export async function leftProcesses(db: Db): Promise<string[]> {
  const jobs = await db.selectFrom("jobs").select("id").execute();
  const find = async (): Promise<string[]> => {
    const left = await Promise.all(jobs.map(async ({ id }) => ({ id, found: await markedBy(`MIRANDA_JOB=${id}`) })));
    return left.flatMap(({ id, found }) => found.map(({ pid }) => `process ${pid} of session ${id} is left`));
  };
  for (let tries = 20; tries > 0 && (await find()).length > 0; tries -= 1) await sleep(1_000);
  return find();
}
