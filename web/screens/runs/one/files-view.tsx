import { FolderOpen } from "lucide-react";

import { runFiles } from "../../../api/models/artifacts.ts";
import { RunFiles } from "../../../panels/files/run-files.tsx";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { isLive } from "../../../panels/runs/run-words.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";

/** The files that MLflow's calls in node code logged. */
export function FilesView() {
  const { run } = useOpenRun();
  return (
    <section
      aria-label="Files"
      className="mx-auto flex min-h-0 w-full max-w-[110rem] flex-1 flex-col gap-4 overflow-y-auto px-4 py-5 sm:px-6"
    >
      <RunFiles
        files={runFiles(run.id)}
        isAlive={isLive(run)}
        empty={
          <EmptyState icon={FolderOpen} title="This run logged no files">
            <code className="font-mono text-sm">mlflow.log_artifact</code>,{" "}
            <code className="font-mono text-sm">log_figure</code> and{" "}
            <code className="font-mono text-sm">log_table</code> add some.
          </EmptyState>
        }
      />
    </section>
  );
}
