import { type CheckedInputs, checkInputs } from "@miranda/contract/call-inputs/check-inputs.ts";
import type { App } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";

import { isRecord } from "../../is-record.ts";

export type AppField = App["fields"][number];

/**
 * What a form holds, by the names of its fields: texts as they were typed (also of numbers and JSON), options, yes or
 * no, and files. `undefined` and "" mean that nothing was entered.
 */
export type FormValues = Readonly<Record<string, unknown>>;

/** What a form begins with: its defaults, or the inputs of an earlier call. */
export function startValues(fields: readonly AppField[], inputs?: Readonly<Record<string, unknown>>): FormValues {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      shownValue(field, inputs && Object.hasOwn(inputs, field.name) ? inputs[field.name] : field.default),
    ]),
  );
}

/** A value as the control of its field shows it. */
function shownValue({ control, kind }: AppField, value: unknown): unknown {
  switch (control?.type) {
    case "toggle":
      return value === true;
    case "select":
      // An option that is gone stays to be seen and refused: the default in its place would be a guess.
      return value ?? undefined;
    case "slider":
      return typeof value === "number" ? `${value}` : `${control.min}`;
    case "file":
      return isFileValue(value) ? value : null;
    case "json":
      return value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
    case "text":
    case "number":
    case "code":
    case "secret":
    case undefined:
      if (value === undefined || value === null) return "";
      if (isBoolean(kind) && typeof value === "boolean") return value;
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

/** Checks a form as the server will: everything that is wrong at once, or what to send. Texts become numbers and JSON. */
export function checkForm(fields: readonly AppField[], values: FormValues): CheckedInputs {
  const given = fields.flatMap((field): [string, unknown][] => {
    const value = values[field.name];
    return isLeftOut(field, value) ? [] : [[field.name, value]];
  });
  return checkInputs(fields, Object.fromEntries(given), "form");
}

/** An emptied text is an answer where the default is another text. */
function isLeftOut({ default: given }: AppField, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return value === "" && (given === undefined || given === null || given === "");
}

export function isNumeric(kind: string, control: AppField["control"]): boolean {
  if (control?.type === "number" || control?.type === "slider") return true;
  const isPlain = control === null || control.type === "text";
  return isPlain && ["int", "integer", "float", "double", "number"].includes(kind);
}

export function isBoolean(kind: string): boolean {
  return kind === "bool" || kind === "boolean";
}

export function isFileValue(value: unknown): value is FileValue {
  return isRecord(value) && typeof value["file"] === "string" && typeof value["name"] === "string";
}
