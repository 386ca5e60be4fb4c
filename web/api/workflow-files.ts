import type { MergeFilesBody, MergePreview, RestoredVersion } from "@miranda/contract/schemas/versions.ts";

import { call } from "./http.ts";
import { now } from "./versions.ts";

/** A version, or the workflow as it is, as a folder of files in a zip. */
export const filesAddress = (graphId: string, version = now) => `/api/v3/graphs/${graphId}/versions/${version}/files`;

/** What a merge of the folder would change. */
export function previewFiles(graphId: string, zip: File, signal: AbortSignal): Promise<MergePreview> {
  return call(`/api/v3/graphs/${graphId}/files/preview`, { method: "POST", fields: { zip }, signal });
}

export function mergeFiles(
  graphId: string,
  zip: File,
  { resolutions, ...fields }: MergeFilesBody,
): Promise<RestoredVersion> {
  return call(`/api/v3/graphs/${graphId}/files`, {
    method: "POST",
    fields: { ...fields, resolutions: JSON.stringify(resolutions), zip },
  });
}
