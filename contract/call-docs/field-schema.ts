import { type InputField, rangeOfField, typeOfField } from "../call-inputs/field-types.ts";

export type JsonSchema = Record<string, unknown>;

/** How a file of a call is sent: as a part of a form, or inside of JSON. */
export type FileForm = "part" | "text";

/** The fields of an app as a JSON Schema of the object that a call sends. */
export function inputsSchema(fields: readonly InputField[], files: FileForm): JsonSchema {
  const required = fields.filter(isDemanded).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, files)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Whether a call without this field is refused. */
export function isDemanded({ required, default: given }: InputField): boolean {
  return required && (given === null || given === undefined);
}

function fieldSchema(field: InputField, files: FileForm): JsonSchema {
  const { label, help } = field;
  const hasDefault = field.default !== null && field.default !== undefined && typeOfField(field) !== "file";
  return {
    title: label,
    ...(help !== "" && { description: help }),
    ...shapeOf(field, files),
    ...(hasDefault && { default: field.default }),
  };
}

function shapeOf(field: InputField, files: FileForm): JsonSchema {
  const type = typeOfField(field);
  switch (type) {
    case "number":
    case "integer": {
      const { min, max } = rangeOfField(field);
      return { type, ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
    }
    case "text":
      return {
        type: "string",
        ...(field.min !== null && { minLength: field.min }),
        ...(field.max !== null && { maxLength: field.max }),
      };
    case "boolean":
      return { type };
    case "option":
      return { enum: field.control?.type === "select" ? [...new Set(field.control.options)] : [] };
    case "list":
      return { type: "array", items: {} };
    case "object":
      return { type };
    case "file":
      return files === "part" ? { type: "string", contentMediaType: "application/octet-stream" } : fileText;
    case "any":
      return {};
  }
}

const fileText: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", description: "The name of the file, with its ending." },
    content: { type: "string", contentEncoding: "base64", description: "The content of the file as base64." },
    type: { type: "string", description: "Its media type." },
  },
  required: ["name", "content"],
  additionalProperties: false,
};
