import { useQuery } from "@tanstack/react-query";
import { Download, FolderOpen } from "lucide-react";
import { useState } from "react";

import { modelVersionQuery } from "../../../api/models/model.ts";
import { type SizedFile, zipAddress } from "../../../api/models/artifacts.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { bytesWords } from "../../../panels/models/metric-words.ts";
import { useOpenModel } from "../open-model.tsx";
import { useChosenVersion } from "../use-chosen-version.ts";
import { VersionPick } from "../version-pick.tsx";
import { FileTree } from "./file-tree.tsx";
import { FileView } from "./file-view.tsx";

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
        {data ? (
          <span className="text-sm text-ink-muted">
            {counted(data.files, "file")}, {bytesWords(data.bytes)}
          </span>
        ) : null}
        {data && data.files > 0 ? (
          <a href={zipAddress({ modelId: model.id, number })} download className={buttonClasses({}, "ml-auto")}>
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
      ) : data.files === 0 ? (
        <EmptyState icon={FolderOpen} title="This version has no files">
          It was logged with its metrics only. Log the model itself with{" "}
          <code className="font-mono text-sm">mlflow.sklearn.log_model</code>, or with the files of{" "}
          <code className="font-mono text-sm">miranda.log_model</code>.
        </EmptyState>
      ) : (
        <Browser key={number} modelId={model.id} number={number} />
      )}
    </section>
  );
}

function Browser(files: { modelId: string; number: number }) {
  const [chosen, setChosen] = useState<SizedFile>();
  return (
    <div className="grid min-h-96 flex-1 overflow-hidden rounded-lg border border-line bg-surface shadow-low md:grid-cols-[18rem_minmax(0,1fr)]">
      <div className="min-h-0 overflow-auto border-line bg-sunken p-2 max-md:max-h-72 max-md:border-b md:border-r">
        <FileTree files={files} chosen={chosen?.path} onChoose={setChosen} />
      </div>
      <div className="flex min-w-0 flex-col">
        {chosen ? (
          <FileView key={chosen.path} files={files} file={chosen} />
        ) : (
          <p className="grid flex-1 place-items-center p-8 text-ink-muted">Choose a file to look at it.</p>
        )}
      </div>
    </div>
  );
}
