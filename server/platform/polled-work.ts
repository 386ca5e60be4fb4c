interface Dependencies {
  /** Does what is due. Called again at once while it returns true. */
  work: () => Promise<boolean>;
  /** Another server may have died with work left, or a pause may be over. */
  every: number;
  report: (error: unknown) => void;
}

export type PolledWork = ReturnType<typeof createPolledWork>;

/** Works when it is woken, and from time to time. */
export function createPolledWork({ work, every, report }: Dependencies) {
  let wakeUp: () => void = () => undefined;
  let isWoken = false;
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  function wake(): void {
    isWoken = true;
    wakeUp();
  }

  async function pause(): Promise<void> {
    if (isWoken || closing.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      wakeUp = resolve;
      timer = setTimeout(resolve, every).unref();
    });
    clearTimeout(timer);
  }

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      isWoken = false;
      const hasMore = await work().catch((error: unknown) => {
        report(error);
        return false;
      });
      if (!hasMore) await pause();
    }
  }

  return {
    start(): void {
      running ??= loop();
    },

    wake,

    /** Waits for the work in progress. */
    async close(): Promise<void> {
      closing.abort();
      wake();
      await running;
    },
  };
}
