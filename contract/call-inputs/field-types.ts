import type { App } from "../schemas/deployments/deployments.ts";

/** A field as callers know it: without its node. */
export type InputField = App["fields"][number];

/** A file that a caller gives: what has a name and a size, such as a browser's `File`. Whoever reads the inputs keeps its content. */
export interface GivenFile {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

/** What a field holds, whatever its control looks like. `any`: every value that JSON has. */
export type FieldType = "number" | "integer" | "text" | "boolean" | "option" | "list" | "object" | "file" | "any";

const ofKind = new Map<string, FieldType>([
  ...["int", "integer"].map((kind) => [kind, "integer"] as const),
  ...["float", "double", "number"].map((kind) => [kind, "number"] as const),
  ...["str", "string", "text"].map((kind) => [kind, "text"] as const),
  ...["bool", "boolean"].map((kind) => [kind, "boolean"] as const),
  ...["list", "array"].map((kind) => [kind, "list"] as const),
  ...["dict", "object"].map((kind) => [kind, "object"] as const),
]);

export function typeOfField({ control, kind }: Pick<InputField, "control" | "kind">): FieldType {
  const byKind = ofKind.get(kind) ?? "any";
  switch (control?.type) {
    case "number":
    case "slider":
      return byKind === "integer" ? "integer" : "number";
    case "select":
      return "option";
    case "toggle":
      return "boolean";
    case "file":
      return "file";
    case "code":
    case "secret":
      return "text";
    case "json":
      return byKind === "list" || byKind === "object" ? byKind : "any";
    case "text":
    case undefined:
      return byKind;
  }
}

/** The least and the most that a field allows: its own limits and those of its node's control. */
export function rangeOfField({ control, min, max }: Pick<InputField, "control" | "min" | "max">): {
  min: number | undefined;
  max: number | undefined;
} {
  const given = control?.type === "number" || control?.type === "slider" ? control : undefined;
  const least = Math.max(min ?? -Infinity, given?.min ?? -Infinity);
  const most = Math.min(max ?? Infinity, given?.max ?? Infinity);
  return { min: least === -Infinity ? undefined : least, max: most === Infinity ? undefined : most };
}
