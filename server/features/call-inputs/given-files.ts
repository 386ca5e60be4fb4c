import { type InputField, typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { isRecord, readJson } from "@miranda/contract/json.ts";
import { nodeFile as limits } from "@miranda/contract/limits.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";

/** A file that came with a call. Its content is stored when the field and its limits allow it. */
export class SentFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Undefined when there is more of it than anybody may send. */
  readonly data: Buffer | undefined;

  constructor({ name, type, size, data }: { name: string; type: string; size: number; data: Buffer | undefined }) {
    this.name = name;
    this.type = type;
    this.size = size;
    this.data = data;
  }
}

/** A file that is stored already, from an earlier call or as the default of the field. */
export class EarlierFile {
  readonly file: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;

  constructor({ file, name, type, size }: FileValue) {
    this.file = file;
    this.name = name;
    this.type = type;
    this.size = size;
  }
}

const isBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * The given values with the files of JSON read: `{"name", "content"}` with the content as base64, or the value of a file of
 * an earlier call. Anything else for a file becomes `false`, which the check refuses.
 */
export function readGivenFiles(fields: readonly InputField[], given: unknown): unknown {
  if (!isRecord(given)) return given;
  const read: Record<string, unknown> = { __proto__: null, ...given };
  for (const field of fields) {
    if (typeOfField(field) !== "file" || !Object.hasOwn(given, field.name)) continue;
    read[field.name] = readFile(given[field.name]);
  }
  return { ...read };
}

function readFile(value: unknown): unknown {
  if (value === null || value === "" || value instanceof SentFile) return value;
  const found = typeof value === "string" ? readJson(value) : value;
  if (!isRecord(found)) return false;
  const earlier = FileValue.safeParse(found);
  if (earlier.success) return new EarlierFile(earlier.data);
  const { name, content, type = "" } = found;
  if (typeof name !== "string" || typeof content !== "string" || typeof type !== "string") return false;
  if (name === "" || !isBase64.test(content.slice(0, 100)) || !isBase64.test(content)) return false;
  const size = Math.floor((content.replace(/=+$/, "").length * 3) / 4);
  const data = size <= limits.sizeMax ? Buffer.from(content, "base64") : undefined;
  return new SentFile({ name, type, size, data });
}
