import type { FilterAnswer, FilterRequest, FromFilterWorker } from "./filter-messages.ts";
import { blockLines, type LineStore } from "./lines/line-store.ts";

/** The part of a Worker that is used here. */
export interface FilterWorker {
  postMessage: (request: FilterRequest) => void;
  terminate: () => void;
  addEventListener: (type: "message", listener: (event: MessageEvent<FromFilterWorker>) => void) => void;
}

interface Dependencies {
  store: LineStore;
  makeWorker: () => FilterWorker;
  /** All lines up to `to` are tested; those before `from` were tested earlier. */
  onTested: (from: number, to: number) => void;
  /** The pattern took too long on a few lines and was ended. */
  onTooSlow: () => void;
}

const maxInFlight = 3;
/** How long a few lines may take. */
export const testTimeout = 1_000;
/** How long they may still take when the pattern has changed: the next pattern waits for them. */
const staleTestTimeout = 300;

/** Tests lines against a pattern in a worker, and ends the worker when the pattern hangs. */
export function createLogFilter({ store, makeWorker, onTested, onTooSlow }: Dependencies) {
  let worker: FilterWorker | undefined;
  let isReady = false;
  /** The lines that the worker has: start index and count. */
  let sent = new Map<number, number>();
  let forget = false;
  let job = 0;
  let pattern: string | undefined;
  let asked = 0;
  let tested = 0;
  /** Pending requests of the worker, by job and start index. */
  let waiting = new Map<string, number>();
  let hits = new Uint8Array(blockLines);
  let watchdog: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    clearTimeout(watchdog);
    worker?.terminate();
    worker = undefined;
    isReady = false;
    sent = new Map();
    waiting = new Map();
  }

  function watch(): void {
    clearTimeout(watchdog);
    if (waiting.size === 0) return;
    const [oldest] = waiting.values();
    const isStale = oldest !== job;
    watchdog = setTimeout(
      () => {
        end();
        if (isStale) {
          restart();
          return pump();
        }
        pattern = undefined;
        onTooSlow();
      },
      isStale ? staleTestTimeout : testTimeout,
    );
  }

  function start(): FilterWorker {
    const made = makeWorker();
    made.addEventListener("message", ({ data }) => {
      if (worker !== made) return;
      if ("ready" in data) {
        isReady = true;
        pump();
      } else receive(data);
    });
    return made;
  }

  function receive(answer: FilterAnswer): void {
    waiting.delete(`${answer.job} ${answer.from}`);
    if (answer.job === job) {
      room(answer.from + answer.hits.length);
      hits.set(answer.hits, answer.from);
      const from = tested;
      tested = answer.from + answer.hits.length;
      onTested(from, tested);
    }
    watch();
    pump();
  }

  function room(size: number): void {
    if (size <= hits.length) return;
    const larger = new Uint8Array(Math.max(size, hits.length * 2));
    larger.set(hits);
    hits = larger;
  }

  function pump(): void {
    if (pattern === undefined) return;
    worker ??= start();
    // The time to load the worker's code does not count.
    if (!isReady) return;
    // The oldest lines may have been dropped meanwhile.
    asked = Math.max(asked, store.first());
    while (waiting.size < maxInFlight && asked < store.end()) {
      const from = asked;
      const known = sent.get(from);
      const texts = known === undefined ? store.textsFrom(from) : undefined;
      const count = known ?? texts?.length ?? 0;
      const text = texts?.join("\n");
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is a worker, not a window
      worker.postMessage({ job, pattern, from, text, forget });
      forget = false;
      sent.set(from, count);
      waiting.set(`${job} ${from}`, job);
      asked = from + count;
      if (waiting.size === 1) watch();
    }
  }

  function restart(): void {
    job += 1;
    asked = store.first();
    tested = asked;
  }

  return {
    /** 1 where a line matches, by its index. Only valid for tested lines. */
    hits: (): Uint8Array => hits,
    tested: () => tested,

    /** Undefined tests nothing. */
    use(next: string | undefined): void {
      pattern = next;
      restart();
      watch();
      pump();
    },

    /** Call it when there are more lines to test. */
    more: pump,

    /** Call it when lines from this index on were replaced. */
    replaced(index: number): void {
      for (const [from, count] of sent) if (from + count > index) sent.delete(from);
      if (index <= store.first()) {
        forget = true;
        sent = new Map();
        return restart();
      }
      if (asked <= index) return;
      // Ranges must join without a gap, or a line would never be tested.
      const edges = [...sent].map(([from, count]) => from + count).filter((edge) => edge <= index);
      const edge = Math.max(store.first(), ...edges.slice(-1));
      job += 1;
      asked = edge;
      tested = Math.min(tested, edge);
    },

    stop: end,
  };
}
