import { type InputField, rangeOfField, typeOfField } from "../call-inputs/field-types.ts";

/** A value that a field takes: its default, else something that fits. A file is the name of one. */
export function exampleOf(field: InputField): unknown {
  const type = typeOfField(field);
  if (type === "file") return fileNameOf(field);
  if (field.default !== null && field.default !== undefined) return field.default;
  switch (type) {
    case "number":
    case "integer": {
      const { min, max } = rangeOfField(field);
      const value = Math.min(Math.max(1, min ?? 1), max ?? Infinity);
      return type === "integer" ? Math.ceil(value) : value;
    }
    case "text":
      return "text".padEnd(field.min ?? 0, "…").slice(0, field.max ?? undefined);
    case "boolean":
      return true;
    case "option":
      return field.control?.type === "select" ? (field.control.options[0] ?? null) : null;
    case "list":
      return [1, 2];
    case "object":
      return { key: "value" };
    case "any":
      return "text";
  }
}

function fileNameOf({ control, name }: InputField): string {
  const ending = /(?:^|,)\s*(\.[a-z0-9]+)/i.exec(control?.type === "file" ? (control.accept ?? "") : "")?.[1];
  return `${name}${ending ?? ".txt"}`;
}

/** A call that the fields allow, by field name. */
export function exampleInputs(fields: readonly InputField[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, exampleOf(field)]));
}
