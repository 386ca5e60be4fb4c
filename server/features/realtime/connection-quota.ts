/** The number of connections of each account at this server. Several servers count separately. */
export function createConnectionQuota(most: number) {
  const open = new Map<string, number>();
  let total = 0;

  function add(accountId: string, change: 1 | -1): void {
    const count = (open.get(accountId) ?? 0) + change;
    total += change;
    if (count === 0) open.delete(accountId);
    else open.set(accountId, count);
  }

  return {
    total: () => total,

    /**
     * Takes a place at once, and returns a function that gives it back. Undefined when the account has none left.
     * Counting connected sockets would accept a hundred that connect at the same moment.
     */
    take(accountId: string): (() => void) | undefined {
      if ((open.get(accountId) ?? 0) >= most) return undefined;
      add(accountId, 1);
      let isTaken = true;
      return () => {
        if (isTaken) add(accountId, -1);
        isTaken = false;
      };
    },
  };
}
