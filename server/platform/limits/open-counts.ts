import { AppError } from "../errors/app-error.ts";

interface Most {
  perCaller: number;
  inAll: number;
  /** What is refused. */
  words: string;
  retrySeconds: number;
}

/** Counts what is open for a long time, such as streams. Whoever opens too many is refused. */
export function createOpenCounts({ perCaller, inAll, words, retrySeconds }: Most) {
  const open = new Map<string, number>();
  let all = 0;

  /** Counts one. Call the result once it is closed. */
  return function take(caller: string): () => void {
    const count = open.get(caller) ?? 0;
    if (count >= perCaller || all >= inAll) throw new AppError("too_many_calls", words, retrySeconds);
    open.set(caller, count + 1);
    all += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      all -= 1;
      const left = (open.get(caller) ?? 1) - 1;
      if (left > 0) open.set(caller, left);
      else open.delete(caller);
    };
  };
}
