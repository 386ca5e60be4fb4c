/** A day in words, such as "Dec 2, 2026". */
export function dayWords(time: string | Date): string {
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}
