import { useState } from "react";

import type { FolderFiles, SizedFile } from "../../api/models/artifacts.ts";
import { FileTree } from "./file-tree.tsx";
import { FileView } from "./file-view.tsx";

interface FileBrowserProps {
  files: FolderFiles;
  /** What has the files, for screen readers. */
  label: string;
}

/** A tree of files, and a look into each. */
export function FileBrowser({ files, label }: FileBrowserProps) {
  const [chosen, setChosen] = useState<SizedFile>();
  return (
    <div className="grid min-h-96 flex-1 overflow-hidden rounded-lg border border-line bg-surface shadow-low md:grid-cols-[18rem_minmax(0,1fr)]">
      <div className="min-h-0 overflow-auto border-line bg-sunken p-2 max-md:max-h-72 max-md:border-b md:border-r">
        <FileTree files={files} label={label} chosen={chosen?.path} onChoose={setChosen} />
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
