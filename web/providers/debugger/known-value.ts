import { isRecord } from "../../is-record.ts";

const longest = 1_000;

/**
 * The value of a dotted name in the variables of a frame, as text, from data that the browser already has: nothing is
 * evaluated, so looking changes nothing and reveals no secrets.
 */
export function knownValue(
  locals: Readonly<Record<string, unknown>>,
  [first = "", ...rest]: readonly string[],
): string | undefined {
  if (!Object.hasOwn(locals, first)) return undefined;
  let value: unknown = locals[first];
  for (const name of rest) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    // Only of an object: the keys of a dict are no attributes.
    if (!Object.hasOwn(value, "")) return undefined;
    value = value[name];
  }
  const text = JSON.stringify(value, undefined, 1) ?? "";
  const short = text.length > 80 ? text : text.replaceAll(/\s*\n\s*/g, " ");
  return short.length > longest ? `${short.slice(0, longest)}…` : short;
}
