/** How many connections each account has at this server. Several servers count apart. */
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
     * Takes a place at once, and hands back how to return it. Undefined when the account has no place left. Counting
     * those who are connected would let a hundred in that all ask in the same moment.
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
