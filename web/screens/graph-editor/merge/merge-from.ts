import { queryOptions } from "@tanstack/react-query";

import type { MergeFilesBody, RestoredVersion } from "@miranda/contract/schemas/versions.ts";

import { merge, mergePreviewKey, previewMerge } from "../../../api/versions.ts";
import { mergeFiles, previewFiles } from "../../../api/workflow-files.ts";
import type { ChosenZip } from "./chosen-zip.ts";

/** Where the changes come from. */
export type MergeFrom = { kind: "workflow"; id: string } | { kind: "files"; zip: ChosenZip };

/** With another revision of the workflow, the same source changes something else. */
export const previewQuery = (graphId: string, from: MergeFrom, revision: number) =>
  queryOptions({
    queryKey: mergePreviewKey(graphId, from.kind === "workflow" ? from.id : `zip ${from.zip.id}`, revision),
    queryFn: ({ signal }) =>
      from.kind === "workflow" ? previewMerge(graphId, from.id, signal) : previewFiles(graphId, from.zip.file, signal),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });

export function mergeFrom(graphId: string, from: MergeFrom, body: MergeFilesBody): Promise<RestoredVersion> {
  return from.kind === "workflow"
    ? merge(graphId, { ...body, from: from.id })
    : mergeFiles(graphId, from.zip.file, body);
}
