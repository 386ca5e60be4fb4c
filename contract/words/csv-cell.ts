/** Nothing that a spreadsheet could calculate. */
const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const formula = /^[\s\p{Cf}]*[=+\-@\t\r]/u;

/**
 * A cell of a CSV file. A spreadsheet would run a text that begins like a formula, and the text may come from anybody.
 * Numbers stay numbers.
 */
export function csvCell(text: string): string {
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
