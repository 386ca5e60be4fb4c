import { useQuery } from "@tanstack/react-query";
import { Download, FolderOpen } from "lucide-react";

import { modelVersionQuery } from "../../../api/models/model.ts";
import { versionFiles, zipAddress } from "../../../api/models/artifacts.ts";
import { fileSize } from "../../../format/file-size.ts";
import { FileBrowser } from "../../../panels/files/file-browser.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useOpenModel } from "../open-model.tsx";
import { useChosenVersion } from "../use-chosen-version.ts";
import { VersionPick } from "../version-pick.tsx";

/** The files of a version: a tree, and a look into each. */
export function FilesView() {
  const { model } = useOpenModel();
  const [number, choose] = useChosenVersion();
  const version = useQuery({ ...modelVersionQuery(model.id, number), enabled: number > 0 });
  const { data, error } = version;
  return (
    <section aria-label="Files" className="mx-auto flex w-full max-w-[110rem] flex-1 flex-col gap-4 px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center gap-3">
        <VersionPick number={number} onPick={choose} />
        {data && data.elsewhere === null ? (
          <span className="text-sm text-ink-muted">
            {counted(data.files, "file")}, {fileSize(data.bytes)}
          </span>
        ) : null}
        {data && data.files > 0 ? (
          <a href={zipAddress(versionFiles(model.id, number))} download className={buttonClasses({}, "ml-auto")}>
            <Download className="size-4" aria-hidden="true" />
            Download all
          </a>
        ) : null}
      </div>
      {number === 0 ? (
        <EmptyState icon={FolderOpen} title="No version yet">
          The first version brings its files.
        </EmptyState>
      ) : error && !data ? (
        <LoadFailure
          title="The files could not be loaded"
          message={error.message}
          busy={version.isFetching}
          onRetry={() => void version.refetch()}
        />
      ) : data === undefined ? (
        <LoadingArea label="Loading the files" />
      ) : data.elsewhere !== null ? (
        <EmptyState icon={FolderOpen} title="The files are elsewhere">
          This version names{" "}
          <code className="font-mono text-sm break-all" data-testid="elsewhere">
            {oneLine(data.elsewhere)}
          </code>
          . MLflow’s client loads them from there; they cannot be shown here.
        </EmptyState>
      ) : data.files === 0 ? (
        <EmptyState icon={FolderOpen} title="This version has no files">
          It was logged with its metrics only. Log the model itself with{" "}
          <code className="font-mono text-sm">mlflow.sklearn.log_model</code>, or with the files of{" "}
          <code className="font-mono text-sm">miranda.log_model</code>.
        </EmptyState>
      ) : (
        <FileBrowser key={number} files={versionFiles(model.id, number)} label="Files of the version" />
      )}
    </section>
  );
}
