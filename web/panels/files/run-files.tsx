import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import type { ReactNode } from "react";

import { type FolderFiles, folderQuery, zipAddress } from "../../api/models/artifacts.ts";
import { fileSize } from "../../format/file-size.ts";
import { refresh } from "../../limits.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { counted } from "../../ui/counted.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { FileBrowser } from "./file-browser.tsx";

interface RunFilesProps {
  files: FolderFiles;
  /** Files may still come. */
  isAlive: boolean;
  /** Shown when the run logged no files. */
  empty: ReactNode;
}

/** What a run logged as files: plots, tables, and whatever else its code wrote. */
export function RunFiles({ files, isAlive, empty }: RunFilesProps) {
  const { data, error, isFetching, refetch } = useQuery({
    ...folderQuery(files, ""),
    refetchInterval: isAlive ? refresh.default : false,
  });
  if (error && !data)
    return (
      <LoadFailure
        title="The files could not be loaded"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <LoadingArea label="Loading the files" />;
  if (data.files === 0) return empty;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <span className="text-sm text-ink-muted">
          {counted(data.files, "file")}, {fileSize(data.bytes)}
        </span>
        <a href={zipAddress(files)} download className={buttonClasses({}, "ml-auto")}>
          <Download className="size-4" aria-hidden="true" />
          Download all
        </a>
      </div>
      <FileBrowser files={files} label="Files of the run" />
    </>
  );
}
