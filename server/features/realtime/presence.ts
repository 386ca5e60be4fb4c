/** Who is in which graph. A person with several tabs is present once, until the last one is closed. */
export interface Presence {
  /** True when the account was not present before. Entering again renews presence. */
  enter(graphId: string, accountId: string, connection: string): Promise<boolean>;
  /** True when that was the account's last connection. */
  leave(graphId: string, accountId: string, connection: string): Promise<boolean>;
  accounts(graphId: string): Promise<string[]>;
  /** Removes connections that were not renewed in time. Returns the accounts that are gone with them. */
  expire(): Promise<{ graphId: string; accountId: string }[]>;
}

/** Presence on a single server. */
export function createMemoryPresence(lifetime: number, now: () => number = Date.now): Presence {
  // By graph, account and connection: the time of the last renewal.
  const graphs = new Map<string, Map<string, Map<string, number>>>();

  function drop(graphId: string, accountId: string, connection: string): boolean {
    const accounts = graphs.get(graphId);
    const connections = accounts?.get(accountId);
    if (!accounts || !connections?.delete(connection) || connections.size > 0) return false;
    accounts.delete(accountId);
    if (accounts.size === 0) graphs.delete(graphId);
    return true;
  }

  return {
    async enter(graphId, accountId, connection) {
      const accounts = graphs.get(graphId) ?? new Map<string, Map<string, number>>();
      const connections = accounts.get(accountId) ?? new Map<string, number>();
      const isNew = connections.size === 0;
      graphs.set(graphId, accounts.set(accountId, connections.set(connection, now())));
      return isNew;
    },

    leave: async (graphId, accountId, connection) => drop(graphId, accountId, connection),

    accounts: async (graphId) => [...(graphs.get(graphId)?.keys() ?? [])],

    async expire() {
      const oldest = now() - lifetime;
      const gone: { graphId: string; accountId: string }[] = [];
      for (const [graphId, accounts] of graphs) {
        for (const [accountId, connections] of accounts) {
          for (const [connection, renewed] of connections) {
            if (renewed < oldest && drop(graphId, accountId, connection)) gone.push({ graphId, accountId });
          }
        }
      }
      return gone;
    },
  };
}
