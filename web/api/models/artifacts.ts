import { queryOptions } from "@tanstack/react-query";

import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";

import { call, fetchAnswer } from "../http.ts";
import { experimentsPath } from "./compare.ts";
import { modelKeys, modelPath } from "./model.ts";

/** Where the files of a version or a run are read. */
export interface FolderFiles {
  path: string;
  queryKey: readonly unknown[];
}

export const versionFiles = (modelId: string, number: number): FolderFiles => ({
  path: modelPath(modelId, `/versions/${number}/artifacts`),
  queryKey: [...modelKeys.versions(modelId), number],
});

export const runFiles = (runId: string): FolderFiles => ({
  path: `/api/v3/runs/${encodeURIComponent(runId)}/artifacts`,
  queryKey: ["run-files", runId],
});

/** Of a run that a client made. */
export const trackedRunFiles = (projectId: string, experiment: number, key: string): FolderFiles => ({
  path: `${experimentsPath(projectId)}/${experiment}/runs/${encodeURIComponent(key)}/artifacts`,
  queryKey: ["tracked-run-files", projectId, experiment, key],
});

/** Where one file is downloaded. */
export const fileAddress = (files: FolderFiles, path: string) => `${files.path}/file?path=${encodeURIComponent(path)}`;

/** Where as much of a file is as a page shows, with a type that is safe to show. */
export const previewAddress = (files: FolderFiles, path: string) => `${fileAddress(files, path)}&preview=1`;

/** Where all files are downloaded as one zip. */
export const zipAddress = (files: FolderFiles) => `${files.path}.zip`;

/** What is in a folder; an empty path is the top one. */
export const folderQuery = (files: FolderFiles, path: string) =>
  queryOptions({
    queryKey: [...files.queryKey, "files", path],
    queryFn: ({ signal }) => call<ModelArtifacts>(`${files.path}?${new URLSearchParams({ path })}`, { signal }),
    refetchInterval: false,
  });

export interface SizedFile {
  path: string;
  bytes: number;
}

interface FileStart {
  bytes: Uint8Array<ArrayBuffer>;
  isWhole: boolean;
}

/** The start of a file, to look at it. The server decides how much that is. */
export const fileStartQuery = (files: FolderFiles, { path, bytes }: SizedFile) =>
  queryOptions({
    queryKey: [...files.queryKey, "file", path, bytes],
    queryFn: async ({ signal }): Promise<FileStart> => {
      const answer = await fetchAnswer(previewAddress(files, path), { signal, headers: { accept: "*/*" } });
      const start = new Uint8Array(await answer.arrayBuffer());
      return { bytes: start, isWhole: start.length >= bytes };
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    structuralSharing: false,
    gcTime: 60_000,
  });
