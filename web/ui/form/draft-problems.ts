import { useEffect } from "react";

const problems = new Set<{ words: string }>();

/** What is wrong with a text that stands in a field and is not stored. */
export function firstDraftProblem(): string | undefined {
  const [first] = problems;
  return first?.words;
}

/** While a field has such a text, nothing may run: it would use the value before it. */
export function useDraftProblem(words: string | undefined): void {
  useEffect(() => {
    if (words === undefined) return undefined;
    const problem = { words };
    problems.add(problem);
    return () => void problems.delete(problem);
  }, [words]);
}
