import type { MergeFilesBody, MergePreview, RestoredVersion } from "@miranda/contract/schemas/versions.ts";

import { call } from "./http.ts";

/** The workflow as it is, as a folder of files in a zip. */
export const zipAddress = (graphId: string) => `/api/v3/graphs/${graphId}/versions/now/files`;

/** What a merge of the folder would change. */
export function previewFiles(graphId: string, zip: File): Promise<MergePreview> {
  return call(`/api/v3/graphs/${graphId}/files/preview`, { method: "POST", fields: { zip } });
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
