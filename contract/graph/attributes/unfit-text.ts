import { isRecord, readJson } from "../../json.ts";

const key = "$unfit";

/**
 * What somebody typed into a field and that is no value of it. It is stored in place of the value: everybody sees it, undo and copies
 * treat it like a value, and no run uses the value before it.
 */
export interface UnfitText {
  [key]: string;
}

export function unfitText(text: string): UnfitText {
  return { [key]: text };
}

/** The text in a stored value. */
export function readUnfitText(value: unknown): string | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  const text = value[key];
  return typeof text === "string" ? text : undefined;
}

/** The same in what somebody sends: forms send everything as text. */
export function givenUnfitText(given: unknown): string | undefined {
  return readUnfitText(typeof given === "string" && given.startsWith(`{"${key}":`) ? readJson(given) : given);
}
