import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";

import {
  fileAddress,
  fileStartQuery,
  type FolderFiles,
  previewAddress,
  type SizedFile,
} from "../../api/models/artifacts.ts";
import { fileSize } from "../../format/file-size.ts";
import { jsonViewer } from "../../limits.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";
import { TableView } from "../../ui/output/table-view.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { LongText } from "../../ui/text/long-text.tsx";
import { isPicture, previewOf } from "./file-preview.ts";

interface FileViewProps {
  files: FolderFiles;
  file: SizedFile;
}

/** One file: its content as far as it can be shown, and a way to download it. */
export function FileView({ files, file }: FileViewProps) {
  const name = oneLine(file.path.slice(file.path.lastIndexOf("/") + 1));
  const address = fileAddress(files, file.path);
  return (
    <>
      <header className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 className="min-w-0 truncate font-semibold" title={oneLine(file.path)}>
          {name}
        </h2>
        <span className="text-sm text-ink-muted tabular-nums">{fileSize(file.bytes)}</span>
        <a href={address} download={name} className={buttonClasses({ size: "sm" }, "ml-auto")}>
          <Download className="size-3.5" aria-hidden="true" />
          Download
        </a>
      </header>
      <div className="flex min-w-0 flex-1 flex-col overflow-auto p-4" data-testid="file-preview">
        {file.bytes === 0 ? (
          <Note>The file is empty.</Note>
        ) : isPicture(file.path) ? (
          <Picture address={previewAddress(files, file.path)} name={name} />
        ) : (
          <Content files={files} file={file} name={name} />
        )}
      </div>
    </>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="grid flex-1 place-items-center text-ink-muted">{children}</p>;
}

interface ContentProps extends FileViewProps {
  name: string;
}

function Content({ files, file, name }: ContentProps) {
  const start = useQuery(fileStartQuery(files, file));
  const preview = useMemo(
    () => start.data && previewOf(file.path, start.data.bytes, start.data.isWhole),
    [start.data, file.path],
  );
  if (start.error && !preview) return <Failed query={start} />;
  if (!preview) return <LoadingArea label="Loading the file" />;
  switch (preview.kind) {
    case "table":
      return (
        <>
          <TableView table={preview.table} label={name} plain />
          {preview.isWhole ? null : <Cut />}
        </>
      );
    case "json":
      return <JsonTree value={preview.value} limits={jsonViewer} label={name} />;
    case "markdown":
      return <Markdown text={preview.text} />;
    case "text":
      return (
        <>
          <pre className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
            <LongText text={preview.text} />
          </pre>
          {preview.isWhole ? null : <Cut />}
        </>
      );
    case "none":
      return <Note>{preview.reason}</Note>;
    case "drawing":
      return <Picture address={`data:image/svg+xml,${encodeURIComponent(preview.text)}`} name={name} />;
  }
}

function Cut() {
  return <p className="mt-3 text-sm text-ink-muted">This is the start of the file. Download it to see the rest.</p>;
}

/** The browser takes it for a picture, whatever is in it: nothing in it can run. */
function Picture({ address, name }: { address: string; name: string }) {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <Note>The picture is too large to show, or it is damaged.</Note>;
  return (
    <img
      src={address}
      alt={name}
      onError={() => setFailed(true)}
      className="m-auto max-h-[70dvh] max-w-full object-contain"
    />
  );
}

interface FailedProps {
  query: { error: Error | null; isFetching: boolean; refetch: () => unknown };
}

function Failed({ query }: FailedProps) {
  return (
    <LoadFailure
      title="The file could not be loaded"
      message={query.error?.message ?? ""}
      busy={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}
