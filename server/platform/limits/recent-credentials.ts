import { hashToken } from "../crypto.ts";

const rememberedMost = 20_000;

/** The tokens and cookies that were right when they were looked up last. Only their hashes are kept. */
export function createRecentCredentials() {
  const right = new Set<string>();

  return {
    keyOf: (credential: string): string => hashToken(credential).toString("base64"),

    has: (key: string): boolean => right.has(key),

    note(key: string, isRight: boolean): void {
      // The one that was used last moves to the end: the first is forgotten.
      right.delete(key);
      if (!isRight) return;
      right.add(key);
      if (right.size > rememberedMost) for (const oldest of right) return void right.delete(oldest);
    },
  };
}
