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
  let ofStrangers = 0;

  /** Counts one. Strangers share half of all: they cannot keep out who is signed in. Call the result once it is closed. */
  return function take(caller: string, isStranger = false): () => void {
    const count = open.get(caller) ?? 0;
    const isFull = all >= inAll || (isStranger && ofStrangers >= inAll / 2);
    if (count >= perCaller || isFull) throw new AppError("too_many_calls", words, retrySeconds);
    open.set(caller, count + 1);
    all += 1;
    if (isStranger) ofStrangers += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      all -= 1;
      if (isStranger) ofStrangers -= 1;
      const left = (open.get(caller) ?? 1) - 1;
      if (left > 0) open.set(caller, left);
      else open.delete(caller);
    };
  };
}
