const units = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

/** How long ago something was, in the largest unit: "2 h ago". */
export function agoWords(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  for (const [size, unit] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit} ago`;
  return "just now";
}
