import { commit as limits } from "@miranda/contract/limits.ts";
import type { CommitSummary } from "@miranda/contract/schemas/code.ts";

/** A line of the history: one commit, or several consecutive commits of runs. */
export type HistoryEntry = readonly [CommitSummary, ...CommitSummary[]];

/** Merges consecutive commits of runs into one line, so that commits with messages stand out. */
export function historyEntries(commits: readonly CommitSummary[]): HistoryEntry[] {
  const entries: [CommitSummary, ...CommitSummary[]][] = [];
  for (const commit of commits) {
    const last = entries.at(-1);
    if (last && isRun(commit) && isRun(last[0])) last.push(commit);
    else entries.push([commit]);
  }
  return entries;
}

function isRun({ message, restored }: CommitSummary): boolean {
  return message === limits.runMessage && restored === null;
}

/** Who committed, and who else wrote what was committed. */
export function writersOf(commit: Pick<CommitSummary, "author" | "with">, nobody: string): string {
  const { author } = commit;
  const name = author ? `${author.first_name} ${author.last_name}` : nobody;
  const others = commit.with.map(({ first_name }) => first_name).join(", ");
  return others === "" ? name : `${name} with ${others}`;
}
