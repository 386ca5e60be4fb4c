import { queryOptions } from "@tanstack/react-query";

import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";

import { call, fetchAnswer } from "../http.ts";
import { modelKeys, modelPath } from "./model.ts";

/** The files of a version. */
export interface VersionFiles {
  modelId: string;
  number: number;
}

const filesPath = ({ modelId, number }: VersionFiles, rest: string) =>
  modelPath(modelId, `/versions/${number}/artifacts${rest}`);

/** Where one file is downloaded. */
export const fileAddress = (files: VersionFiles, path: string) =>
  filesPath(files, `/file?path=${encodeURIComponent(path)}`);

/** Where as much of a file is as a page shows, with a type that is safe to show. */
export const previewAddress = (files: VersionFiles, path: string) => `${fileAddress(files, path)}&preview=1`;

/** Where all files are downloaded as one zip. */
export const zipAddress = (files: VersionFiles) => filesPath(files, ".zip");

/** What is in a folder; an empty path is the top one. */
export const folderQuery = (files: VersionFiles, path: string) =>
  queryOptions({
    queryKey: [...modelKeys.versions(files.modelId), files.number, "files", path],
    queryFn: ({ signal }) => call<ModelArtifacts>(filesPath(files, `?${new URLSearchParams({ path })}`), { signal }),
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
export const fileStartQuery = (files: VersionFiles, { path, bytes }: SizedFile) =>
  queryOptions({
    queryKey: [...modelKeys.versions(files.modelId), files.number, "file", path, bytes],
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
