import { isRecord, readJson } from "../json.ts";
import { node, nodeFile } from "../limits.ts";
import type { InputProblem } from "../schemas/deployments/calls.ts";
import { type FieldType, type GivenFile, type InputField, rangeOfField, typeOfField } from "./field-types.ts";
import { bytesText, isAcceptedFile } from "./files.ts";
import { isStorable } from "./storable.ts";

export type CheckedInputs = { inputs: Record<string, unknown> } | { problems: InputProblem[] };

/** Where values come from. A form sends texts, which become what the field asks for; JSON has types of its own. */
export type InputSource = "json" | "form";

const problemsMax = 100;

/**
 * Checks what somebody gives for the fields of a release, and names everything that is wrong at once. Fields that are left
 * out get their default; a field without one keeps the value of the release. A file is any object with a name and a size.
 */
export function checkInputs(fields: readonly InputField[], given: unknown, source: InputSource): CheckedInputs {
  if (!isRecord(given)) return { problems: [{ field: "", message: "Send an object with a value for each field." }] };
  const inputs: Record<string, unknown> = {};
  const problems: InputProblem[] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (isLeftOut(field, value, source)) {
      if (field.default !== undefined && field.default !== null) inputs[field.name] = field.default;
      else if (field.required) problems.push({ field: field.name, message: `${field.label} is required.` });
      continue;
    }
    const read = readInput(field, value, source);
    if ("refusal" in read) problems.push({ field: field.name, message: read.refusal });
    else inputs[field.name] = read.value;
  }
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  for (const name of unknown.slice(0, problemsMax))
    problems.push({ field: shortened(name), message: unknownWords(fields) });
  if (problems.length === 0) return { inputs };
  const left = problems.length - problemsMax + Math.max(0, unknown.length - problemsMax);
  if (left <= 0) return { problems };
  return { problems: [...problems.slice(0, problemsMax), { field: "", message: `And ${left} more.` }] };
}

/** The problems as lines, for people and for programs that read plain text. */
export function problemWords(problems: readonly InputProblem[]): string {
  return problems.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("\n");
}

type Read = { value: unknown } | { refusal: string };

function isLeftOut(field: InputField, value: unknown, source: InputSource): boolean {
  if (value === undefined) return true;
  if (value === null) return field.control?.type !== "json" || field.required;
  if (value !== "") return false;
  // An emptied box of a form. An empty text is a text, unless there has to be one.
  const type = typeOfField(field);
  return type === "text" || type === "any" ? field.required : source === "form";
}

function readInput(field: InputField, given: unknown, source: InputSource): Read {
  const type = typeOfField(field);
  if (type === "file") return readFile(field, given);
  const value = source === "form" && typeof given === "string" ? fromText(field, type, given) : given;
  const refusal = problemOf(field, type, value) ?? sizeProblem(field, value);
  return refusal === undefined ? { value } : { refusal };
}

const truths = new Map([
  ...["true", "1", "on", "yes"].map((text) => [text, true] as const),
  ...["false", "0", "off", "no"].map((text) => [text, false] as const),
]);

/** What a text of a form means. Unchanged when it means nothing: the check then says what is wrong. */
function fromText(field: InputField, type: FieldType, text: string): unknown {
  switch (type) {
    case "number":
    case "integer":
      return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "boolean":
      return truths.get(text.trim().toLowerCase()) ?? text;
    case "option":
      return field.control?.type === "select"
        ? (field.control.options.find((one) => String(one) === text) ?? text)
        : text;
    case "list":
    case "object":
      return readJson(text) ?? text;
    case "any":
      return field.control?.type === "json" ? readJson(text) : text;
    case "text":
    case "file":
      return text;
  }
}

function problemOf(field: InputField, type: FieldType, value: unknown): string | undefined {
  const { label } = field;
  switch (type) {
    case "number":
    case "integer":
      return numberProblem(field, type, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : `${label} must be true or false${typed(value)}.`;
    case "option":
      return optionProblem(field, value);
    case "text":
      return textProblem(field, value);
    case "list":
      return Array.isArray(value) ? undefined : `${label} must be a list, such as [1, 2]${typed(value)}.`;
    case "object":
      return isRecord(value) ? undefined : `${label} must be an object, such as {"a": 1}${typed(value)}.`;
    case "any":
      if (value === undefined) return `${label} must be JSON.`;
      return typeof value === "string" && field.control?.type !== "json" ? textProblem(field, value) : undefined;
    case "file":
      return undefined;
  }
}

function numberProblem(field: InputField, type: "number" | "integer", value: unknown): string | undefined {
  const { min, max } = rangeOfField(field);
  const words = `${field.label} must be a ${type === "integer" ? "whole " : ""}number${rangeWords(min, max)}`;
  if (typeof value === "string") {
    const isNumber = value.trim() !== "" && Number.isFinite(Number(value));
    return isNumber ? `${words}, not text: send ${Number(value)} without quotes.` : `${words}, not text.`;
  }
  const isRight =
    typeof value === "number" &&
    Number.isFinite(value) &&
    (type === "number" || Number.isInteger(value)) &&
    value >= (min ?? value) &&
    value <= (max ?? value);
  return isRight ? undefined : `${words}${typeof value === "number" ? "" : typed(value)}.`;
}

function rangeWords(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

function optionProblem({ control, label }: InputField, value: unknown): string | undefined {
  const options = control?.type === "select" ? control.options : [];
  if (options.some((one) => one === value)) return undefined;
  const shown = options.slice(0, 20).map((one) => JSON.stringify(one));
  return `${label} must be one of ${shown.join(", ")}${options.length > shown.length ? ", …" : ""}.`;
}

function textProblem({ label, min, max }: InputField, value: unknown): string | undefined {
  if (typeof value !== "string") return `${label} must be text${typed(value)}.`;
  if (min !== null && value.length < min) return `${label} must have at least ${characters(min)}.`;
  if (max !== null && value.length > max) return `${label} can have at most ${characters(max)}.`;
  return undefined;
}

function characters(count: number): string {
  return `${count} ${count === 1 ? "character" : "characters"}`;
}

function sizeProblem({ label }: InputField, value: unknown): string | undefined {
  if (!isStorable(value)) return `${label} contains a character that cannot be stored, or is nested too deeply.`;
  const size = typeof value === "string" ? value.length : JSON.stringify(value).length;
  return size > node.attributeValueMax ? `${label} can have at most ${characters(node.attributeValueMax)}.` : undefined;
}

function readFile(field: InputField, given: unknown): Read {
  const { label, control } = field;
  if (!isFile(given)) return { refusal: `${label} must be a file.` };
  const most = Math.min(field.max ?? nodeFile.sizeMax, nodeFile.sizeMax);
  if (given.size > most) return { refusal: `${label} can have at most ${bytesText(most)}.` };
  const accept = control?.type === "file" ? control.accept : undefined;
  if (!isAcceptedFile(given, accept)) return { refusal: `${label} must be a file of this type: ${accept}.` };
  return { value: given };
}

function isFile(given: unknown): given is GivenFile {
  if (typeof given !== "object" || given === null) return false;
  return (
    "name" in given &&
    typeof given.name === "string" &&
    "size" in given &&
    typeof given.size === "number" &&
    given.size >= 0 &&
    "type" in given &&
    typeof given.type === "string"
  );
}

/** What a wrong value is, in words. */
function typed(value: unknown): string {
  if (typeof value === "string") return ", not text";
  if (typeof value === "number") return ", not a number";
  if (typeof value === "boolean") return ", not true or false";
  if (Array.isArray(value)) return ", not a list";
  return value === null ? "" : ", not an object";
}

function unknownWords(fields: readonly InputField[]): string {
  if (fields.length === 0) return "There is no such field: this app has none.";
  const shown = fields.slice(0, 20).map(({ name }) => name);
  return `There is no such field. The fields are ${shown.join(", ")}${fields.length > shown.length ? ", …" : ""}.`;
}

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
