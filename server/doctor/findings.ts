/** What the doctor says about one part. `advice` says what to do, in one line. */
export interface Finding {
  part: string;
  state: "ok" | "warning" | "problem";
  words: string;
  advice?: string;
}

export const ok = (part: string, words: string): Finding => ({ part, state: "ok", words });
export const warning = (part: string, words: string, advice: string): Finding => ({
  ...{ part, state: "warning", words, advice },
});
export const problem = (part: string, words: string, advice: string): Finding => ({
  ...{ part, state: "problem", words, advice },
});

const marks = { ok: "ok      ", warning: "warning ", problem: "PROBLEM " } as const;

export function formatFinding({ part, state, words, advice }: Finding): string {
  return `${marks[state]} ${part}: ${words}${advice === undefined ? "" : `\n          → ${advice}`}`;
}
