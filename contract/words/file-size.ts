const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** "1.2 MB" */
export function fileSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const size = bytes / 1_000 ** power;
  // 999.6 kB would be rounded to 1000 kB.
  if (Math.round(size) >= 1_000 && power < units.length - 1) return fileSize(1_000 ** (power + 1));
  return `${power === 0 || size >= 100 ? Math.round(size) : Number(size.toPrecision(2))} ${units[power] ?? "B"}`;
}
