import { createStore } from "../../store.ts";
import { createLogFilter, type FilterWorker } from "./log-filter.ts";
import type { Line, LineStore } from "./lines/line-store.ts";

export interface LogViewState {
  readonly count: number;
  /** How many rows were ever removed at the front: visible rows have moved up by the difference. */
  readonly dropped: number;
  readonly pattern: string;
  readonly isTesting: boolean;
  /** The pattern was ended because it took too long, so everything is shown. */
  readonly isTooSlow: boolean;
  readonly isInvalid: boolean;
}

export interface LogRow extends Line {
  index: number;
  continues: boolean;
}

export type LogView = ReturnType<typeof createLogView>;

/** The rows of a log that pass the filter, updated as lines come. */
export function createLogView(store: LineStore, levels: readonly number[], makeWorker: () => FilterWorker) {
  let wanted = maskOf(levels);
  let rows = new Uint32Array(4_096);
  let from = 0;
  let to = 0;
  /** Every line before this one has been processed. */
  let sorted = store.first();
  let resets = store.resets();
  let extensions = store.extensions();
  let moved = store.moved();
  /** The number of rows when earlier lines came that are not tested yet. */
  let rowsBefore: number | undefined;
  let isFiltering = false;
  /** While a new pattern is tested, the rows of the old one stay, to avoid flicker. */
  let isCatchingUp = false;
  let catchUpTo = 0;
  const { get, set, watch } = createStore<LogViewState>({
    count: 0,
    dropped: 0,
    pattern: "",
    isTesting: false,
    isTooSlow: false,
    isInvalid: false,
  });

  const filter = createLogFilter({
    store,
    makeWorker,
    onTested: () => {
      if (!isFiltering) return;
      if (isCatchingUp && filter.tested() < Math.min(catchUpTo, store.end())) return;
      if (isCatchingUp) {
        isCatchingUp = false;
        rebuild();
      }
      advance();
      const added = rowsBefore === undefined ? 0 : to - from - rowsBefore;
      rowsBefore = undefined;
      show({ isTesting: filter.tested() < store.end(), dropped: get().dropped - added });
    },
    onTooSlow: () => {
      isFiltering = false;
      isCatchingUp = false;
      rebuild();
      advance();
      show({ isTesting: false, isTooSlow: true });
    },
  });

  function show(changes: Partial<LogViewState> = {}): void {
    set({ ...get(), ...changes, count: to - from });
  }

  function rebuild(): void {
    from = 0;
    to = 0;
    sorted = store.first();
  }

  /** The line of a row. Every row between `from` and `to` has one. */
  const lineOf = (row: number): number => rows[row] ?? 0;

  /** Adds rows for all lines that can be decided. */
  function advance(): void {
    const end = isFiltering ? Math.min(filter.tested(), store.end()) : store.end();
    const hits = isFiltering ? filter.hits() : undefined;
    while (sorted < end) {
      const tags = store.tagsFrom(sorted);
      const count = Math.min(tags.length, end - sorted);
      while (to + count > rows.length) grow();
      for (let at = 0; at < count; at += 1) {
        if (wanted[tags[at] ?? 0] === 0 || (hits && hits[sorted + at] === 0)) continue;
        rows[to] = sorted + at;
        to += 1;
      }
      sorted += count;
    }
  }

  function grow(): void {
    if (from > rows.length / 2) rows.copyWithin(0, from, to);
    else {
      const larger = new Uint32Array(rows.length * 2);
      larger.set(rows.subarray(from, to));
      rows = larger;
    }
    to -= from;
    from = 0;
  }

  function take(replaced: number): void {
    const countBefore = to - from;
    const isExtended = extensions !== store.extensions();
    extensions = store.extensions();
    if (isExtended && isFiltering && resets + 1 === store.resets()) {
      // Known rows still pass, further down; the earlier lines are not tested yet.
      resets = store.resets();
      for (let row = from; row < to; row += 1) rows[row] = lineOf(row) + store.moved() - moved;
      rowsBefore = to - from;
      isCatchingUp = true;
      catchUpTo = store.end();
      filter.replaced(0);
    } else if (resets !== store.resets()) {
      resets = store.resets();
      rebuild();
      filter.replaced(0);
    } else if (replaced < Number.POSITIVE_INFINITY) {
      while (to > from && lineOf(to - 1) >= replaced) to -= 1;
      sorted = Math.min(sorted, replaced);
      filter.replaced(replaced);
    }
    moved = store.moved();
    const before = from;
    while (from < to && lineOf(from) < store.first()) from += 1;
    if (sorted < store.first()) sorted = store.first();
    if (isFiltering) filter.more();
    if (!isCatchingUp) advance();
    // Rows added at the front push the others down: the opposite of dropped rows.
    const added = isExtended && !isCatchingUp ? Math.max(0, to - from - countBefore) : 0;
    show({ dropped: get().dropped + from - before - added, isTesting: isCatchingUp || get().isTesting });
  }

  let unwatch: (() => void) | undefined;
  take(Number.POSITIVE_INFINITY);

  return {
    get,
    watch,

    /** The line of a row, and whether it continues the entry above it. */
    rowAt(row: number): LogRow | undefined {
      if (row < 0 || row >= to - from) return undefined;
      const index = lineOf(from + row);
      const line = store.lineAt(index);
      if (!line) return undefined;
      const above = row > 0 ? store.lineAt(lineOf(from + row - 1)) : undefined;
      return { ...line, index, continues: above?.tag === line.tag };
    },

    setLevels(next: readonly number[]): void {
      wanted = maskOf(next);
      if (isCatchingUp) return;
      rebuild();
      advance();
      show();
    },

    setPattern(pattern: string): void {
      if (pattern === get().pattern) return;
      const isInvalid = !isRegular(pattern);
      isFiltering = pattern !== "" && !isInvalid;
      isCatchingUp = isFiltering && store.size() > 0;
      catchUpTo = store.end();
      filter.use(isFiltering ? pattern : undefined);
      if (!isCatchingUp) {
        rebuild();
        advance();
      }
      show({ pattern, isInvalid, isTooSlow: false, isTesting: isCatchingUp });
    },

    start(): void {
      unwatch = store.watch(take);
      take(store.first());
    },

    stop(): void {
      unwatch?.();
      filter.stop();
    },
  };
}

/** An array is faster than a Set for a million lookups. */
function maskOf(levels: readonly number[]): Uint8Array {
  const mask = new Uint8Array(256);
  for (const level of levels) mask[level] = 1;
  return mask;
}

function isRegular(pattern: string): boolean {
  try {
    return new RegExp(pattern, "i").source !== "";
  } catch {
    return false;
  }
}
