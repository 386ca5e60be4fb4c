/** The time after which an interrupt stops by force what does not end: "30 seconds", "5 minutes". 0 is never. */
export function forceStopText(seconds: number): string {
  if (seconds === 0) return "Never";
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
