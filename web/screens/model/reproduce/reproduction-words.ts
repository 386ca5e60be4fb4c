import type { Reproductions } from "@miranda/contract/schemas/models/lineage.ts";

type Made = Reproductions["made"][number];

export const isOver = (state: Made["state"]): boolean => state !== "running" && state !== "paused";

/** What came of a run that made a version again. */
export function outcomeWords({ state, number, differs }: Made): string {
  if (!isOver(state)) return "It runs.";
  if (number === null) return state === "done" ? "It made no version." : "It ended before it made a version.";
  if (differs === null) return `It made version ${number}.`;
  if (differs.length === 0) return `It made version ${number}, with the same metrics.`;
  const [first, second, ...more] = differs;
  const names = [first, second, ...(more.length > 0 ? [`${more.length} more`] : [])].filter(Boolean).join(", ");
  return `It made version ${number}. Different: ${names}.`;
}
