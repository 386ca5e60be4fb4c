import type { FileValue } from "@miranda/contract/schemas/files.ts";

import { type AppField, isFileValue } from "../../../panels/app-form/form-values.ts";

/** What is stored with a schedule. Files are uploaded first; a file of the release itself is not named, so that it may change. */
export async function sentInputs(
  fields: readonly AppField[],
  inputs: Readonly<Record<string, unknown>>,
  upload: (file: File) => Promise<FileValue>,
): Promise<Record<string, unknown>> {
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(inputs)) {
    const own = fields.find((field) => field.name === name)?.default;
    if (isFileValue(value) && isFileValue(own) && value.file === own.file) continue;
    sent[name] = value instanceof File ? await upload(value) : value;
  }
  return sent;
}
