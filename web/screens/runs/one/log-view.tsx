import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { RunLog } from "../node/run-log.tsx";

/** Everything that the run printed. */
export function LogView() {
  const { run } = useOpenRun();
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <RunLog key={run.id} run={run} />
    </div>
  );
}
