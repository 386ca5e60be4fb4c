/** When a wait gives up and reports what it waited for. A test sets its own end. */
let ends: () => number | undefined = () => undefined;

export function setDeadline(next: typeof ends): void {
  ends = next;
}

/** Rejects shortly before the test's timeout, and names what was waited for. */
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
