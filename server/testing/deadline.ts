/** When whoever waits for something gives up and says for what; a test says its own end. */
let ends: () => number | undefined = () => undefined;

export function setDeadline(next: typeof ends): void {
  ends = next;
}

/** A promise, given up a moment before its test is: what it waited for is then said, and not only how long. */
export async function beforeDeadline<Value>(promise: Promise<Value>, missing: () => string): Promise<Value> {
  const end = ends();
  if (end === undefined) return promise;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(missing())), Math.max(0, end - Date.now()));
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
