import { safely } from "./errors/safely.ts";

/** Rejects with these words when the work is not done in time. The work itself goes on. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  timeoutMs: number,
  words = `no answer in ${timeoutMs / 1_000} seconds`,
): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    safely(() => late.reject(new Error(words))),
    timeoutMs,
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
