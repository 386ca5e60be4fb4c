/** Results that are kept, and the lines of all of them together. */
const kept = { results: 500, lines: 2_000_000 } as const;
/** How long an incomplete result is used. Not dropped at once: a hostile history must not be compared at every call. */
const incompleteMs = 60_000;

type Lines = readonly (number | null)[];

/** The writers of lines, by node. A node has one result: that of its newest commit. */
export function createLineCache() {
  const results = new Map<number, { key: string; lines: Lines; until: number }>();
  let count = 0;

  function forget(id: number): void {
    count -= results.get(id)?.lines.length ?? 0;
    results.delete(id);
  }

  return {
    find(id: number, key: string): Lines | undefined {
      const found = results.get(id);
      return found?.key === key && Date.now() < found.until ? found.lines : undefined;
    },

    keep(id: number, key: string, lines: Lines, isComplete: boolean): void {
      forget(id);
      results.set(id, { key, lines, until: isComplete ? Infinity : Date.now() + incompleteMs });
      count += lines.length;
      for (const oldest of results.keys()) {
        if (results.size <= kept.results && count <= kept.lines) return;
        forget(oldest);
      }
    },
  };
}
