const deepest = 100;

/** Whether a database can store a value as JSON: no null characters, no halves of surrogate pairs, not nested too deeply. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (depth > deepest) return false;
  if (typeof value === "string") return !value.includes("\u0000") && isWellFormed(value);
  if (Array.isArray(value)) return value.every((inner) => isStorable(inner, depth + 1));
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key, depth) && isStorable(inner, depth + 1));
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
