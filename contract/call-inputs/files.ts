import type { GivenFile } from "./field-types.ts";

/** Whether a file fits what a control accepts: endings and media types, separated by commas. Without any, all fit. */
export function isAcceptedFile({ name, type }: Pick<GivenFile, "name" | "type">, accept: string | undefined): boolean {
  const patterns = (accept ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter(Boolean);
  const [low, media] = [name.toLowerCase(), (type.split(";")[0] ?? "").trim().toLowerCase()];
  if (patterns.length === 0) return true;
  return patterns.some((pattern) => {
    if (pattern === "*" || pattern === "*/*") return true;
    if (pattern.startsWith(".")) return low.endsWith(pattern);
    if (pattern.endsWith("/*")) return media.startsWith(pattern.slice(0, -1));
    return media === pattern;
  });
}

/** A size as people write it. */
export function bytesText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const units = ["bytes", "kB", "MB", "GB"];
  let [value, at] = [bytes, 0];
  for (; value >= 1024 && at < units.length - 1; at++) value /= 1024;
  return `${Number(value.toFixed(value < 10 ? 1 : 0))} ${units[at]}`;
}
