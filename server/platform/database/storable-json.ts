import { AppError } from "../errors/app-error.ts";

const deepest = 200;

/**
 * The value without what PostgreSQL cannot store in JSON: null characters and halves of surrogate pairs. Refuses values
 * nested too deeply: they would overflow a stack, here or in the database.
 */
export function storable<T>(value: T): T {
  // Only texts change, so it keeps its type.
  return replaced(value, 0) as T;
}

function replaced(value: unknown, depth: number): unknown {
  if (depth > deepest) throw new AppError("bad_request", "That is nested too deeply.");
  if (typeof value === "string") return value.toWellFormed().replaceAll("\u0000", "\ufffd");
  if (Array.isArray(value)) return value.map((inner) => replaced(inner, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [replaced(key, depth), replaced(inner, depth + 1)]),
  );
}

/** As JSON text. PostgreSQL's JSON allows neither null characters nor halves of surrogate pairs. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, "\\ufffd");
}

/** PostgreSQL's text allows neither of them. */
export function storableText(text: string): string {
  return text.replaceAll("\u0000", "").toWellFormed();
}
