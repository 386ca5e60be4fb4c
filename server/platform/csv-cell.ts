/** A cell of a CSV file. A spreadsheet would run a text that begins like a formula. */
export function csvCell(text: string): string {
  const safe = /^[\s\p{Cf}]*[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
