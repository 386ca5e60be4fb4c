import { errors } from "@miranda/contract/errors.ts";

import { isRefusedWith } from "../../../api/http.ts";
import { executionToken } from "../../../limits.ts";

/** Asks the person for a token. Failing to make one calls `onCancel`, yet the person may try again while asked. */
export interface TokenRequest {
  onGenerated: () => void;
  onCancel: () => void;
}

export type AskForToken = (request: TokenRequest) => { closed: Promise<void> };

interface Guarded<Result> {
  call: () => Promise<Result>;
  askForToken: AskForToken;
  /** No token for now: what was shown ahead of the answer is taken back. */
  onCancel: () => void;
  /** The call is made again. */
  onRetry: () => void;
}

function needsToken(cause: unknown): boolean {
  // The specification fixes this message. No other refusal is recognised by its message.
  const hasWords = cause instanceof Error && cause.message.includes(errors.invalid_execution_token);
  return hasWords || isRefusedWith(cause, "invalid_execution_token");
}

/** Makes a call; while it is refused for want of a token, gets one and makes it again, a limited number of times. */
export async function withExecutionToken<Result>({ call, askForToken, onCancel, onRetry }: Guarded<Result>) {
  for (let retries = 0; ; retries += 1) {
    try {
      return await call();
    } catch (cause) {
      if (!needsToken(cause) || retries >= executionToken.retries) throw cause;
      if (!(await tokenFrom(askForToken, onCancel))) throw cause;
      onRetry();
    }
  }
}

async function tokenFrom(askForToken: AskForToken, onCancel: () => void): Promise<boolean> {
  let generated = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { closed } = askForToken({
    onGenerated: () => {
      generated = true;
      resolve();
    },
    onCancel,
  });
  await Promise.race([promise, closed]);
  return generated;
}
