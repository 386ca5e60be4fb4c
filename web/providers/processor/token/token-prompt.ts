import { createStore } from "../../../store.ts";
import type { AskForToken, TokenRequest } from "./execution-token.ts";

export type TokenPrompt = ReturnType<typeof createTokenPrompt>;

/** One dialog for all who wait for a token at the same time. */
export function createTokenPrompt() {
  const waiting = createStore<readonly { request: TokenRequest; close: () => void }[]>([]);

  const ask: AskForToken = (request) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set([...waiting.get(), { request, close: resolve }]);
    return { closed: promise };
  };

  return {
    ask,
    isOpen: () => waiting.get().length > 0,
    watch: waiting.watch,

    generated(): void {
      const served = waiting.get();
      waiting.set([]);
      for (const { request } of served) request.onGenerated();
    },

    /** The server made no token. The dialog stays: a password can be mistyped. */
    failed(): void {
      for (const { request } of waiting.get()) request.onCancel();
    },

    close(): void {
      const served = waiting.get();
      waiting.set([]);
      for (const { request, close } of served) {
        request.onCancel();
        close();
      }
    },
  };
}
