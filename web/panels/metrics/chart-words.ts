import { formatNumber } from "../../ui/output/number-format.ts";

/** "1 min 20 s" would be too wide for an axis. */
export function clockWords(seconds: number): string {
  if (seconds < 60) return `${formatNumber(Number(seconds.toPrecision(4)))} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number: number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

export function numberWords(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000 && size < 1e15 && Number.isInteger(value)) return value.toLocaleString("en");
  return formatNumber(Number(value.toPrecision(6)));
}

const prefixes = ["", "k", "M", "G", "T"] as const;

function bytesPerSecond(value: number): string {
  const power = value >= 1 ? Math.min(prefixes.length - 1, Math.floor(Math.log10(value) / 3)) : 0;
  return `${formatNumber(Number((value / 1_000 ** power).toPrecision(3)))} ${prefixes[power] ?? ""}B/s`;
}

export function usageWords(unit: "cores" | "GB" | "B/s"): (value: number) => string {
  if (unit === "B/s") return bytesPerSecond;
  return (value) => `${formatNumber(Number(value.toPrecision(3)))}${unit === "GB" ? " GB" : ""}`;
}
