import type { AskForToken, TokenRequest } from "./execution-token.ts";

export type TokenPrompt = ReturnType<typeof createTokenPrompt>;

/** One dialog for all who wait for a token at the same time. */
export function createTokenPrompt() {
  const watchers = new Set<() => void>();
  let waiting: { request: TokenRequest; close: () => void }[] = [];

  function tell(): void {
    for (const watcher of watchers) watcher();
  }

  const ask: AskForToken = (request) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = [...waiting, { request, close: resolve }];
    tell();
    return { closed: promise };
  };

  return {
    ask,
    isOpen: () => waiting.length > 0,

    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },

    generated(): void {
      const served = waiting;
      waiting = [];
      for (const { request } of served) request.onGenerated();
      tell();
    },

    /** The server made no token. The dialog stays: a password can be mistyped. */
    failed(): void {
      for (const { request } of waiting) request.onCancel();
    },

    close(): void {
      const served = waiting;
      waiting = [];
      for (const { request, close } of served) {
        request.onCancel();
        close();
      }
      tell();
    },
  };
}
