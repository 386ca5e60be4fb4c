/**
 * Runs one lookup at a time. Callers that come while one is running share the next one. Nobody gets an answer that was
 * found before they asked, so an ended session is never taken for a living one.
 */
export function coalesceLookups<Value>(
  ask: (keys: string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let waiting: Map<string, PromiseWithResolvers<Value | undefined>> | undefined;
  let isAsking = false;

  async function askWaiting(): Promise<void> {
    isAsking = true;
    for (let asked = waiting; asked; asked = waiting) {
      waiting = undefined;
      try {
        const found = await ask([...asked.keys()]);
        for (const [key, { resolve }] of asked) resolve(found.get(key));
      } catch (error) {
        for (const { reject } of asked.values()) reject(error);
      }
    }
    isAsking = false;
  }

  return (key) => {
    waiting ??= new Map();
    const answer = waiting.get(key) ?? Promise.withResolvers<Value | undefined>();
    waiting.set(key, answer);
    if (!isAsking) void askWaiting();
    return answer.promise;
  };
}
