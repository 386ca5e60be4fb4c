import { isRecord } from "../../json.ts";
import type { Attribute, Control } from "../../schemas/attributes.ts";
import { givenUnfitText, unfitText } from "./unfit-text.ts";

export type ReadValue = { value: unknown } | { refusal: string };

type Field = Pick<Attribute, "name" | "kind" | "control"> & Partial<Pick<Attribute, "value" | "default">>;

/**
 * Reads a value that somebody sets, as the attribute's control and kind expect it. Forms send everything as text. What a
 * browser sends as unfit text stays unfit text, unless it can be read.
 */
export function readAttributeValue(attribute: Field, given: unknown): ReadValue {
  if (takesAnyText(attribute)) return readGiven(attribute, given);
  const text = givenUnfitText(given);
  if (text === undefined) return readOrEmpty(attribute, given);
  const read = readOrEmpty(attribute, text);
  return "value" in read ? read : { value: unfitText(text) };
}

/** An emptied field has no value, where the code declares none either. */
function readOrEmpty(attribute: Field, given: unknown): ReadValue {
  const declared = "default" in attribute ? attribute.default : attribute.value;
  const isEmpty = given === null || (typeof given === "string" && given.trim() === "");
  return isEmpty && declared === null ? { value: null } : readGiven(attribute, given);
}

function readGiven(attribute: Field, given: unknown): ReadValue {
  const { name, control } = attribute;
  switch (control?.type) {
    case "number":
    case "slider":
      return readNumber(attribute, control, given);
    case "select":
      return readOption(name, control.options, given);
    case "toggle":
      return readBoolean(name, given);
    case "json":
      return readJson(name, given, jsonExample(given));
    case "text":
      // A field without a type of its own also gets a text box.
      return isTyped(attribute.kind) ? readKind(attribute, given) : { value: given };
    case "secret":
    case "code":
      return readText(name, given);
    case "file":
      return readFile(name, given);
    case undefined:
      return readKind(attribute, given);
  }
}

const numbers = ["int", "integer", "float", "double", "number"];
const texts = ["str", "string", "text"];
const booleans = ["bool", "boolean"];

function takesAnyText({ control, kind }: Field): boolean {
  if (control?.type === "code" || control?.type === "secret") return true;
  return (control === null || control.type === "text") && !numbers.includes(kind) && !booleans.includes(kind);
}

function isTyped(kind: string): boolean {
  return [...numbers, ...texts, ...booleans].includes(kind);
}

function readKind(attribute: Field, given: unknown): ReadValue {
  if (numbers.includes(attribute.kind)) return readNumber(attribute, {}, given);
  if (booleans.includes(attribute.kind)) return readBoolean(attribute.name, given);
  if (texts.includes(attribute.kind)) return readText(attribute.name, given);
  return { value: given };
}

function readNumber(
  { name, kind }: Field,
  { min, max }: { min?: number | undefined; max?: number | undefined },
  given: unknown,
): ReadValue {
  const whole = kind === "int" || kind === "integer";
  const refusal = { refusal: `${name} must be a ${whole ? "whole " : ""}number${range(min, max)}.` };
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  if (typeof value !== "number" || !Number.isFinite(value)) return refusal;
  if (whole && !Number.isInteger(value)) return refusal;
  return value < (min ?? value) || value > (max ?? value) ? refusal : { value };
}

function range(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

function readOption(name: string, options: (Control & { type: "select" })["options"], given: unknown): ReadValue {
  const option = options.find((one) => one === given) ?? options.find((one) => String(one) === given);
  return option === undefined ? { refusal: `${name} must be one of ${options.join(", ")}.` } : { value: option };
}

const truths = new Map<unknown, boolean>([
  [true, true],
  ["true", true],
  ["1", true],
  ["on", true],
  [1, true],
  [false, false],
  ["false", false],
  ["0", false],
  ["off", false],
  [0, false],
]);

function readBoolean(name: string, given: unknown): ReadValue {
  const value = truths.get(given);
  return value === undefined ? { refusal: `${name} must be true or false.` } : { value };
}

function readText(name: string, given: unknown): ReadValue {
  return typeof given === "string" ? { value: given } : { refusal: `${name} must be text.` };
}

function readFile(name: string, given: unknown): ReadValue {
  const read = readJson(name, given === "" ? null : given, "");
  if ("refusal" in read || read.value === null) return read;
  const { file, name: called, size, type } = isRecord(read.value) ? read.value : {};
  const isSound =
    typeof file === "string" && typeof called === "string" && typeof size === "number" && typeof type === "string";
  return isSound
    ? { value: { file, name: called, size, type } }
    : { refusal: `${name} must be a file that was uploaded.` };
}

function readJson(name: string, given: unknown, example: string): ReadValue {
  if (typeof given !== "string") return { value: given };
  try {
    const value: unknown = JSON.parse(given);
    return { value };
  } catch {
    return { refusal: `${name} must be JSON${example}.` };
  }
}

/** A word is what people type most often in place of JSON, so they are shown their own word as JSON. */
function jsonExample(given: unknown): string {
  const word = typeof given === "string" && /^[^\s"'[\]{}:,]{1,40}$/.test(given.trim()) ? given.trim() : "text";
  return `, such as "${word}" or ["${word}"]`;
}
